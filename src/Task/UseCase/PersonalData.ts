import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { erasedConversation, OpeningConversation } from "@troupe/domain/OpeningConversation"
import { UserNotFound } from "@troupe/domain/User"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { Notifications } from "../../Delivery/Notifications.ts"
import { Sandbox } from "../../File/Sandbox.ts"
import { MemoryRepo } from "../../Memory/MemoryRepo.ts"
import { Users } from "../../People/User/Users.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { isConflict } from "../../Runtime/Database/Sql.ts"
import { toStorableJson } from "../../Runtime/Database/StorableText.ts"
import { makeMoveJoined } from "../Command/JoinedUsersLayer.ts"
import { TaskCommands } from "../Command/TaskCommands.ts"
import { makeCancelAll } from "../Command/UserTasks.ts"
import { withoutErased } from "../Journal/EarlierTasks.ts"

export class PersonalData extends Context.Tag("troupe/Task/UseCase/PersonalData")<PersonalData, {
  /**
   * Cancels the user's tasks, then deletes them and the user's notifications, memories, files and profile. A second
   * call, or `finishInterrupted`, completes a failed one. Fails for a user who never existed.
   */
  readonly erase: (userId: UserId) => Effect.Effect<void, UserNotFound>
  /** Finishes what failed, or lost its process, at least ten minutes ago. Each process does it on a schedule. */
  readonly finishInterrupted: Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<
    PersonalData,
    never,
    MemoryRepo | Notifications | Sandbox | ScheduledJobs | SqlClient | TaskCommands | Users
  > = Layer.scoped(
    this,
    Effect.gen(function*() {
      const cancelAll = yield* makeCancelAll
      const moveJoined = yield* makeMoveJoined
      const commands = yield* TaskCommands
      const jobs = yield* ScheduledJobs
      const memories = yield* MemoryRepo
      const notifications = yield* Notifications
      const sandbox = yield* Sandbox
      const users = yield* Users

      const statements = makeStatements(yield* SqlClient)
      const run = <A>(statement: Effect.Effect<A, SqlError>) => Effect.retry(statement, { times: 3, while: isConflict })

      const untilNone = (some: Effect.Effect<ReadonlyArray<unknown>>) =>
        Effect.repeat(some, { while: ({ length }) => length > 0 })

      const clearContinuations = Effect.fnUntraced(function*(userId: UserId) {
        const cleared = yield* continuations(run(statements.continuations(userId)))
        yield* Effect.forEach(cleared, ({ context, conversation, erased, id }) => {
          const left = context === null ? null : withoutErased(context, (link) => erased.includes(link))
          const messages = conversation === null ? null : toStorableJson(erasedConversation(conversation))
          return left === context && messages === null
            ? Effect.void
            : run(statements.textsReplaced(id, left, messages))
        }, { discard: true })
      })

      const finish = Effect.fnUntraced(
        function*({ began, user_id: userId }: Erasure) {
          yield* moveJoined
          // Before the tasks: a run that is under way ends first, and its task is among those that follow.
          yield* run(statements.sourcesDeleted(userId))
          yield* cancelAll(userId, "Cancelled: the user's data is deleted.")
          yield* run(statements.keysDeleted(userId))
          // While the tasks are there: without them it is not known whose outcome a continuation repeats.
          yield* clearContinuations(userId)
          yield* untilNone(commands.removeSome(userId))
          yield* run(statements.usageDeleted(userId))
          // Before the notifications: the questions of others' tasks no longer reach the user then.
          yield* run(statements.referencesDeleted(userId))
          yield* notifications.removeAll(userId)
          yield* run(statements.outboxDeleted(userId))
          // After the tasks, whose tools may have written until they were cancelled.
          yield* memories.removeAll(userId)
          yield* sandbox.clear(userId)
          yield* users.remove(userId)
          // An upload or a tool that was under way may have added a file meanwhile.
          yield* sandbox.clear(userId)
          yield* run(statements.joinsDeleted(userId))
          yield* run(statements.erasureEnded(userId, began))
          yield* Effect.logInfo("Deleted the data of a user").pipe(Effect.annotateLogs({ user_id: userId }))
        },
        Effect.orDie
      )

      const finishInterrupted = Effect.flatMap(
        erasures(run(statements.interrupted)),
        Effect.forEach(
          (erasure) =>
            Effect.catchAllDefect(
              finish(erasure),
              (defect) =>
                Effect.logWarning("Deleting the data of a user failed; next attempt in 10 minutes", defect).pipe(
                  Effect.annotateLogs({ user_id: erasure.user_id })
                )
            ),
          { discard: true }
        )
      )
      yield* jobs.start({
        name: "erasures",
        scope: "process",
        schedule: Schedule.spaced("5 minutes"),
        run: finishInterrupted
      })

      return PersonalData.of({
        erase: Effect.fn("PersonalData.erase")(
          function*(userId) {
            const { usedFiles } = yield* sandbox.usage(userId)
            const begun = yield* erasures(run(statements.erasureBegun(userId, usedFiles > 0)))
            if (begun.length === 0) return yield* new UserNotFound({ id: userId })
            yield* Effect.forEach(begun, finish, { discard: true })
          },
          asService
        ),
        finishInterrupted
      })
    })
  )
}

const Erasure = Schema.Struct({ user_id: UserId, began: Schema.String }).annotations({ identifier: "Erasure" })
type Erasure = typeof Erasure.Type
const erasures = rowsOf(Erasure)

/** A task that follows some of the user's: `erased` names those. */
const continuations = rowsOf(Schema.Struct({
  id: TaskId,
  context: Schema.NullOr(Schema.String),
  conversation: Schema.NullOr(Schema.parseJson(OpeningConversation)),
  erased: Schema.Array(Schema.String)
}))

const makeStatements = (sql: SqlClient) => ({
  /**
   * Only the attempt that began last ends the deletion. An earlier one has left the row of memory_owners, so that it can
   * be repeated.
   */
  erasureBegun: (userId: UserId, hasFiles: boolean) =>
    sql`insert into erasures (user_id) select ${userId}::text
where ${hasFiles}::boolean or exists (select from users where id = ${userId}::text)
  or exists (select from memory_owners where user_id = ${userId}::text) or exists (select from tasks where creator = ${userId}::text)
on conflict (user_id) do update set began_at = excluded.began_at returning user_id, began_at::text as began`,
  interrupted: sql`update erasures set began_at = clock_timestamp() where began_at < now() - interval '10 minutes'
returning user_id, began_at::text as began`,
  erasureEnded: (userId: UserId, began: string) =>
    sql`delete from erasures where user_id = ${userId}::text and began_at = ${began}::timestamptz`,
  /** Keys and tokens of the user, and those with which others made tasks for the user. */
  keysDeleted: (userId: UserId) =>
    sql`with operations as (
  delete from bulk_operations where creator = ${userId}::text
), tokens as (
  delete from access_tokens where user_id = ${userId}::text
)
delete from idempotency_keys
where caller = ${userId}::text or task_id in (select id from tasks where creator = ${userId}::text)`,
  /** Others' tasks that follow one of the user repeat its request and outcome. A subquery for each row uses the primary key. */
  continuations: (userId: UserId) =>
    sql`select f.id::text, f.context, f.conversation, f.erased from (
  select t.id, t.context, t.conversation, (
    select array_agg(p.id::text) from tasks p
    where p.id = any(coalesce(t.chain, array[t.continued_from])) and p.creator = ${userId}::text
  ) as erased
  from tasks t where t.continued_from is not null and t.creator <> ${userId}::text
    and coalesce(t.context, t.conversation) is not null
) f where f.erased is not null`,
  textsReplaced: (id: TaskId, context: string | null, conversation: string | null) =>
    sql`update tasks set context = ${context}::text, conversation = ${conversation}::text where id = ${id}::uuid`,
  /** Sources of more tasks. Queued webhooks and chat messages are emptied; processing that has begun rolls back. */
  sourcesDeleted: (userId: UserId) =>
    sql`with schedules_deleted as (
  delete from schedules where user_id = ${userId}::text
), mails_emptied as (
  update mail_ledger set from_header = null, subject = null, message_id = null
  from users u where u.id = ${userId}::text and position(lower(u.email) in lower(from_header)) > 0
)
update inbound_messages m set body = null, headers = '{}', url = '', source_ip = null, creator = null, sender = null,
  ordering_key = null, last_error = null, state = case when m.state = 'failed' then 'failed' else 'done' end,
  due_at = null, ended_at = coalesce(m.ended_at, now())
where (m.due_at is not null or m.state = 'failed')
  and (m.creator = ${userId}::text or m.sender in (
    select account from chat_accounts where user_id = ${userId}::text))`,
  referencesDeleted: (userId: UserId) =>
    sql`with unassigned as (
  update tasks set assignee = null where assignee = ${userId}::text
), grants_deleted as (
  delete from grants where granted_by = ${userId}::text or person = ${userId}::text
), authorizations_deleted as (
  delete from tool_server_authorizations where user_id = ${userId}::text
), sign_ins_deleted as (
  delete from tool_server_sign_ins where begun_by = ${userId}::text
), subscriptions_deleted as (
  delete from subscriptions where user_id = ${userId}::text returning id::text
)
delete from outbox o using subscriptions_deleted s where o.channel = 'webhook' and o.recipient = s.id`,
  /** Data under former ids was moved at the beginning (`moveJoined`). */
  joinsDeleted: (userId: UserId) =>
    sql`with joins as (delete from joined_users where user_id = ${userId}::text returning id)
delete from memory_owners o using joins where o.user_id = joins.id`,
  usageDeleted: (userId: UserId) =>
    sql`with spent as (delete from spending where user_id = ${userId}::text), marks as (
  delete from spending_marks where starts_with(key, ${`person:${userId}/`})
)
delete from user_hours where user_id = ${userId}::text`,
  outboxDeleted: (userId: UserId) => sql`delete from outbox where user_id = ${userId}::text`
})
