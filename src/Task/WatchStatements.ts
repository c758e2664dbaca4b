import { type Prepared } from "../Runtime/PreparedStatements.ts"

/** How many steps of one task are read in one statement. */
export const maxStepsRead = 256

/** The steps of each task ($1) after the number beside it ($2), of all of them in one statement. */
export const readSteps: Prepared = {
  name: "watch_read_steps",
  text: `select s.task_id::text, s.seq, to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, s.body
from unnest($1::uuid[], $2::integer[]) as w(id, after), lateral (
  select task_id, seq, at, body from steps where task_id = w.id and seq > w.after order by seq limit ${maxStepsRead}
) s
order by s.task_id, s.seq`
}

/** The last step of each task that is there. */
export const findPositions: Prepared = {
  name: "watch_find_positions",
  text: "select task_id::text, seq from actors where task_id = any($1::uuid[])"
}

/**
 * Asks for a notification of each step of these tasks for two minutes. Rows that a step is being written to are left
 * out: the journal never waits for this, nor they for each other.
 */
export const announce: Prepared = {
  name: "watch_announce",
  text: `with free as materialized (
  select task_id from actors where task_id = any($1::uuid[]) order by task_id for no key update skip locked
)
update actors a set watched_until = now() + interval '2 minutes'
from free where a.task_id = free.task_id
returning a.task_id::text`
}
