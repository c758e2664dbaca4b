import { Approval, askedCalls } from "@troupe/domain/Approval"
import type { ReplyWay } from "@troupe/domain/DeliveryWay"
import { type TaskId, UserId } from "@troupe/domain/Ids"
import { ToolAccess } from "@troupe/domain/Task"
import { Array, Context, Duration, Effect, Layer, type Option, Schema, Struct } from "effect"
import { asksInChat } from "../../Delivery/Outbox.ts"
import { prepared, PreparedStatements, type Query } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { hasEnded } from "../Row/StatusConditions.ts"
import { columnsNamed, TaskRow } from "../Row/TaskRow.ts"

const taskColumns = TaskRow.pick(
  "id",
  "status",
  "creator",
  "assignee",
  "asks_approval",
  "project_id",
  "reply_to",
  "token_budget",
  "max_iterations",
  "max_cost"
)

/** A task to which a message from outside may belong. */
export const ThreadTask = Schema.Struct({
  ...taskColumns.fields,
  title: Schema.String,
  tool_access: ToolAccess,
  /** The assignee, unless an answer without a right to the task made it that. */
  approver: Schema.NullOr(UserId),
  /** The call that asks, of a task that waits for input. */
  call: Schema.NullOr(Schema.String),
  /** The `progress` of the chat message with the pending question, which says where and when it was posted. */
  question_post: Schema.NullOr(Schema.String),
  /** Whether the conversation has the mail with the pending question. */
  has_question: Schema.Boolean
}).annotations({ identifier: "ThreadTask" })
export type ThreadTask = typeof ThreadTask.Type

/** The tasks of the conversations outside, such as a thread of the team chat. */
export class TaskThreads extends Context.Tag("troupe/Task/Read/TaskThreads")<TaskThreads, {
  /** The task that a message in these conversations concerns: the one that asked last if one waits, else the newest. */
  readonly find: (
    channel: ReplyWay,
    keys: ReadonlyArray<string>
  ) => Effect.Effect<Option.Option<ThreadTask>>
  /**
   * The creator's newest task of the conversation, unless more than that time passed between its last message, question or
   * result and `at`.
   */
  readonly findRecent: (
    channel: "chat",
    key: string,
    options: { readonly creator: UserId; readonly at: string; readonly within: Duration.Duration }
  ) => Effect.Effect<Option.Option<ThreadTask>>
  /**
   * A task whose agent has sent one of these mails to the address: one that is not finished if there is one, else the
   * newest.
   */
  readonly findAddressed: (keys: ReadonlyArray<string>, address: string) => Effect.Effect<Option.Option<ThreadTask>>
  readonly ofTask: (id: TaskId) => Effect.Effect<Option.Option<ThreadTask>>
  /** The calls that the pending question of the task asks about, in its order; none: it asks for no approval of calls. */
  readonly askedIn: (task: Pick<ThreadTask, "asks_approval" | "call" | "id">) => Effect.Effect<ReadonlyArray<AskedRow>>
  /** The task's sender has written again: if only so many mails may go there, one more may, or any number. */
  readonly allowReply: (id: TaskId, limit: "one more" | "any number") => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<TaskThreads, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) => {
      const first = (query: Query) => Effect.map(threadTasks(execute(query)), Array.head)
      return TaskThreads.of({
        find: (channel, keys) => keys.length === 0 ? Effect.succeedNone : first(find({ channel, keys })),
        findRecent: (channel, key, { at, creator, within }) =>
          first(findRecent({ channel, keys: [key], creator, at, within: Duration.toSeconds(within) })),
        findAddressed: (keys, address) =>
          keys.length === 0 ? Effect.succeedNone : first(findAddressed({ keys, address })),
        ofTask: (id) => first(ofTask({ task: id })),
        askedIn: ({ asks_approval, call, id }) =>
          !asks_approval || call === null
            ? Effect.succeed([])
            : Effect.map(askedRows(execute(asked({ task: id }))), (rows) => {
              // Of a call that was asked anew, the last question counts.
              const byCall = new Map(rows.map((row) => [row.tool_call_id, row]))
              return askedCalls(call).flatMap((one) => byCall.get(one) ?? [])
            }),
        allowReply: (id, limit) =>
          Effect.orDie(Effect.asVoid(execute(allowReply({ task: id, limit: limit === "one more" ? 1 : null }))))
      })
    })
  )
}

const threadTasks = rowsOf(ThreadTask)

const AskedRow = Schema.Struct({
  ...Struct.pick(Approval.fields, "id", "tool_call_id", "tool", "server", "class", "who", "status", "decided_by"),
  arguments: Schema.String
}).annotations({ identifier: "AskedRow" })
/** A call that a question asks about; `arguments` is JSON. */
export type AskedRow = typeof AskedRow.Type

const askedRows = rowsOf(AskedRow)

/** Decisions about some of several calls are steps after the question. */
const questionSeq = `case when not a.has_approvals then a.seq else (
    select q.seq from steps q where q.task_id = a.task_id and q.body like '{"kind":"results"%' order by q.seq desc limit 1) end`

const columns = (keys: string | null) =>
  `${columnsNamed(...Struct.keys(taskColumns.fields))},
  t.tool_access, case when not t.assigned_by_answer then t.assignee end as approver, a.last_tool_call_id as call,
  (select o.progress from outbox o where a.last_tool_call_id is not null and ${
    asksInChat("o", "t.id", questionSeq)
  } order by o.id desc limit 1) as question_post,
  ${
    keys === null ? "false" : `exists (select from task_threads q
    where q.channel = 'email' and q.key = any(${keys}) and q.task_id = t.id and q.call = a.last_tool_call_id)`
  } as has_question, coalesce(t.title, left(t.description, 80)) as title`

/** A direct conversation may have thousands of tasks: neither part reads them all. */
const find = prepared(
  "task_threads_find",
  ["channel", "keys"],
  `with waiting as (
  select a.task_id from actors a
  where a.status = 'waiting_input' and exists (
    select from task_threads r where r.channel = $channel::text and r.key = any($keys::text[]) and r.task_id = a.task_id
  )
  order by a.updated_at desc, a.task_id desc limit 1
), newest as (
  select n.task_id from unnest($keys::text[]) k (key) cross join lateral (
    select task_id from task_threads r where r.channel = $channel::text and r.key = k.key order by task_id desc limit 1
  ) n
  order by n.task_id desc limit 1
)
select ${columns("$keys::text[]")}
from (select task_id from waiting union all select task_id from newest where not exists (select from waiting)) f
join tasks t on t.id = f.task_id join actors a on a.task_id = t.id`
)

const findRecent = prepared(
  "task_threads_find_recent",
  ["channel", "keys", "creator", "at", "within"],
  `select ${columns("$keys::text[]")} from (
  select n.id from task_threads r join tasks n on n.id = r.task_id
  where r.channel = $channel::text and r.key = ($keys::text[])[1] and n.creator = $creator::text
  order by r.task_id desc limit 1
) f join tasks t on t.id = f.id join actors a on a.task_id = t.id
where $at::timestamptz - $within::float8 * interval '1 second' <= greatest(t.created_at, a.completed_at,
  (select max(m.received_at) from inbound_messages m where m.task_id = t.id),
  (select max(o.created_at) from outbox o where o.task_id = t.id and o.channel = $channel::text))`
)

const findAddressed = prepared(
  "task_threads_find_addressed",
  ["keys", "address"],
  `select ${columns("$keys::text[]")} from task_threads r join tasks s on s.id = r.task_id
  join tasks t on t.id = coalesce(s.parent_task_id, s.id) join actors a on a.task_id = t.id
where r.channel = 'email' and r.key = any($keys::text[]) and $address::text = any(r.addresses)
order by ${hasEnded("a.status")}, t.id desc limit 1`
)

const ofTask = prepared(
  "task_threads_of_task",
  ["task"],
  `select ${columns(null)} from tasks t join actors a on a.task_id = t.id where t.id = $task::uuid`
)

const asked = prepared(
  "task_threads_asked",
  ["task"],
  `select id::text, tool_call_id, tool, server, class, who, status, decided_by, arguments
from approvals where task_id = $task::uuid order by id`
)

const allowReply = prepared(
  "task_threads_allow_reply",
  ["task", "limit"],
  "update tasks set replies_left = $limit::smallint where id = $task::uuid and replies_left is not null"
)
