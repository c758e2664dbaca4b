import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Schedule } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { inSlices } from "../../Runtime/Database/Slices.ts"

/** The texts of a task that a search finds. */
export const wordsOf = (task: string): string => `lower(coalesce(${task}.title, '') || ' ' || ${task}.description)`

/** Whether the blocks can be searched for a text: their keys begin at words of three characters. */
export const isKeyed = (q: string): boolean => q.split(" ").some((word) => Array.from(word).length >= 3)

/** Limits of a block, all of whose tasks a search compares: a number of tasks, and of bytes of their texts. */
export const maxTasks = 256
const maxBytes = 100_000

/** After this time, every task with an earlier id is committed, also by a process whose clock is late. */
const settled = "interval '5 minutes'"

/** Before every task. */
const firstId = "'00000000-0000-0000-0000-000000000000'::uuid"

/** The last task that is in a block. */
export const lastInBlock = `coalesce((select last from task_word_blocks order by last desc limit 1), ${firstId})`

/** Inserts a block, or no row. */
export const nextBlock = `insert into task_word_blocks (after, last, tasks, keys)
select ${lastInBlock}, max(id::text)::uuid, count(*), word_keys(string_agg(words, ' '))
from (
  select t.id, ${wordsOf("t")} as words, row_number() over ids as number, count(*) over () as found,
    sum(octet_length(t.description)) over ids as bytes, sum(octet_length(t.description)) over () as found_bytes
  from (
    select * from tasks where id > ${lastInBlock} and id < notification_id(now() - ${settled}, ${firstId}, 0, 0)
    order by id limit ${maxTasks}
  ) t window ids as (order by t.id)
) n
where (found = ${maxTasks} or found_bytes > ${maxBytes}) and (number = 1 or bytes <= ${maxBytes})
having count(*) > 0
returning 1`

/** Makes a block of the oldest tasks that are in no block, if there are enough of them to fill one. */
export const makeBlock = (sql: SqlClient) => Effect.map(sql.unsafe(nextBlock), ({ length }) => length > 0)

const deleteEmpty = (sql: SqlClient) =>
  sql.unsafe("delete from task_word_blocks where last < coalesce((select id from tasks order by id limit 1), last)")

/**
 * Finds the first block of the last day whose range has got more tasks since, and deletes it and all later ones; the job makes them again.
 * Such tasks come from a process whose clock is late by more than `settled`, and which therefore gives them earlier ids.
 */
export const deleteIncomplete = (sql: SqlClient) =>
  sql.unsafe(`delete from task_word_blocks where last >= (
  select b.last from task_word_blocks b
  where b.last >= notification_id(now() - interval '1 day', ${firstId}, 0, 0)
    and b.tasks < (select count(*) from tasks t where t.id > b.after and t.id <= b.last)
  order by b.last limit 1
)`)

/** Indexes the words of tasks, on one worker. */
export const layer: Layer.Layer<never, never, ScheduledJobs | SqlClient> = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([ScheduledJobs, SqlClient]), ([jobs, sql]) =>
    jobs.start({
      name: "task_words",
      scope: "cluster",
      schedule: Schedule.spaced("1 minute"),
      run: Effect.all([deleteEmpty(sql), deleteIncomplete(sql), inSlices(makeBlock(sql), (isMade) => isMade)], {
        discard: true
      })
    }))
)
