import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { summaryColumns } from "../Row/TaskRow.ts"

const pageBytes = 4_000_000

/** The texts of a task that may be long. The length of a stored text is known without reading it. */
const bytes = [
  "title",
  "description",
  "question",
  "plan",
  "error",
  "array_to_string(attachments, ' ')",
  "array_to_string(choices, ' ')"
]
  .map((text) => `coalesce(octet_length(${text}), 0)`).join(" + ")

/**
 * The rows of a page up to its limit of bytes, and at least one; `found` counts those that it would have without. Of each task, the
 * rows are looked up by its id, whatever a plan expects.
 */
export const foundTasks = prepared(
  "tasks_found",
  ["ids"],
  `select * from (
  select page.*, (count(*) over ())::integer as found,
    sum(${bytes}) over (order by id collate "C" desc rows between unbounded preceding and 1 preceding) as bytes_before
  from (
    select ${summaryColumns} from tasks t join actors a on a.task_id = t.id
    where t.id = any($ids::uuid[]) order by t.id desc
  ) page
) sized where coalesce(bytes_before, 0) < ${pageBytes} order by id collate "C" desc`
)
