import type { TaskId } from "@troupe/domain/Ids"
import type { ToolAccess } from "@troupe/domain/Task"
import type { RequestColumns } from "./TaskRow.ts"

/** How many of the tasks that it follows the row of a continuation names. */
export const chainLength = 20

/** A task to insert with its actor, once for each `key`. */
export interface NewTask extends RequestColumns {
  /** The tasks that it follows, newest first; some may be deleted. Null: it continues none. */
  readonly chain: ReadonlyArray<TaskId> | null
  /** JSON of what its beginning shows its model beyond the request. */
  readonly shown: string | null
  /** As JSON. */
  readonly conversation: string | null
  readonly webhook_payload: string | null
  readonly webhook_headers: string | null
  readonly tool_access: ToolAccess
  readonly replies_left: number | null
  readonly shard: number
  readonly live: boolean
  /** Keys in the reply's channel; a continuation with a reply also gets the keys of its predecessor. */
  readonly threads: ReadonlyArray<string>
  readonly caller: string | null
  readonly key: string | null
  readonly digest: string | null
}

/** The types of the columns of `tasks` that a request fills. */
const inserted: Readonly<Record<Exclude<keyof NewTask, keyof typeof beside>, string>> = {
  id: "uuid",
  created_at: "timestamptz",
  creator: "text",
  assignee: "text",
  title: "text",
  description: "text",
  context: "text",
  conversation: "text",
  project_id: "text",
  attachments: "text[]",
  continued_from: "uuid",
  chain: "uuid[]",
  shown: "text",
  token_budget: "integer",
  max_iterations: "smallint",
  max_cost: "double precision",
  agent: "text",
  agent_revision: "text",
  agent_text: "integer",
  source: "text",
  reply_channel: "text",
  reply_to: "text",
  webhook_type: "text",
  webhook_payload: "text",
  webhook_headers: "text",
  source_ip: "text",
  tool_access: "text",
  replies_left: "smallint",
  schedule_id: "uuid"
}

/** The types of what does not go to a column of `tasks`. */
const beside = {
  shard: "smallint",
  live: "boolean",
  threads: "text[]",
  caller: "text",
  key: "text",
  digest: "text"
} satisfies Partial<Record<keyof NewTask, string>>

export const insertedColumns = Object.keys(inserted).join(", ")

/** The columns of a JSON array of `NewTask` as PostgreSQL reads it. */
export const newTaskTypes = Object.entries({ ...inserted, ...beside }).map((column) => column.join(" ")).join(", ")
