import { approves as isApproval } from "@troupe/domain/Approval"
import type { NotAllowed } from "@troupe/domain/Caller"
import { defaultUser, type TaskId, type UserId } from "@troupe/domain/Ids"
import { type Task, type TaskNotFound, type TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { Effect, Option } from "effect"
import { Users } from "../../People/User/Users.ts"
import { maxUnread } from "../Command/CommandStatements.ts"
import { checkNoSignIn } from "../Command/SignInWakes.ts"
import type { TaskCommands } from "../Command/TaskCommands.ts"
import type { TaskTransactions } from "../Command/TaskTransactions.ts"
import type { TaskRepo } from "../Read/TaskRepo.ts"
import type { TaskRow } from "../Row/TaskRow.ts"
import { isPaused } from "../Spending/Decisions.ts"
import { asksForApprovals, type makeAnswerApproval } from "./ApprovalAnswers.ts"
import { answerIn } from "./FormAnswers.ts"
import { whyNotApproved } from "./Refusals.ts"
import type { TaskRequest, Tasks, TaskSource } from "./Tasks.ts"
import { acceptedBefore, continuing, ownerOf } from "./TaskSubmission.ts"

interface Services {
  readonly decide: (
    row: TaskRow,
    response: string,
    by: UserId | null
  ) => Effect.Effect<void, NotAllowed | TaskRequestInvalid>
  readonly checkRight: (id: TaskId) => Effect.Effect<unknown, NotAllowed>
  readonly commands: TaskCommands["Type"]
  readonly find: (id: TaskId) => Effect.Effect<Task, TaskNotFound>
  readonly findRow: (id: TaskId) => Effect.Effect<TaskRow, TaskNotFound>
  readonly submit: Tasks["Type"]["submit"]
}

const maxTries = 5

/** Delivers a message to a task: it answers, steers or continues the task, depending on its status. */
export const makeMessage = (
  { answerApproval, checkRight, commands, decide, find, findRow, submit }: Services & {
    readonly answerApproval: ReturnType<typeof makeAnswerApproval>
  }
): Effect.Effect<Tasks["Type"]["message"], never, Users> =>
  Effect.map(Users, (users) =>
    Effect.fn("Tasks.message")(function*(id, text, userId, options) {
      const by = Option.getOrNull(userId)
      const answering = { approves: options?.approves ?? isApproval(text), call: options?.call }
      for (let tries = 0; tries < maxTries; tries++) {
        const row = yield* findRow(id)
        if (isTerminal(row.status)) {
          if (options?.mayContinue === false) {
            return yield* new TaskStateConflict({ id, status: row.status, wanted: "it is finished" })
          }
          // Whoever may not change the task does not post where its results go, nor hand work to its assignee.
          const { assignee, source, ...request } = continuationOf(row, text, userId)
          const isTheirs = yield* Effect.isSuccess(checkRight(id))
          const next = yield* submit(isTheirs ? { ...request, assignee, source } : request).pipe(
            Effect.asSome,
            Effect.catchTag("IdempotencyConflict", Effect.die),
            Effect.catchIf(isNoLongerFinished, () => Effect.succeedNone)
          )
          if (Option.isSome(next)) {
            return next.value
          }
          continue
        }
        yield* checkRight(id)
        yield* Effect.transposeMapOption(userId, users.ensureExists)
        yield* checkNoSignIn(row)
        if (isPaused(row)) {
          yield* decide(row, text, by)
          return yield* find(id)
        }
        if (asksForApprovals(row)) return yield* answerApproval(row, text, userId, answering)
        const answer = yield* answerIn(row, text)
        const isSent = row.status === "waiting_input"
          // Without a user only the owner of a self-hosted service writes.
          ? yield* commands.answer(
            id,
            answer.text,
            by ?? defaultUser,
            answer.given === undefined
              ? answering
              : { call: answering.call ?? row.last_tool_call_id, given: answer.given }
          )
          : yield* commands.steer(id, text, by)
        if (isSent) return yield* find(id)
      }
      const { asks_approval, status } = yield* findRow(id)
      const wanted = asks_approval
        ? whyNotApproved(answering)
        : `it takes no message now, because it has not read the last ${maxUnread}; send it later`
      return yield* new TaskStateConflict({ id, status, wanted })
    }))

/** The task was retried or deleted since its row was read. */
const isNoLongerFinished = ({ path }: TaskRequestInvalid) => path === "continue_task_id"

const continuationOf = (row: TaskRow, message: string, userId: Option.Option<UserId>): TaskRequest => ({
  ...continuing(row),
  message,
  user_id: Option.getOrElse(userId, () => row.creator),
  source: sourceOf(row)
})

const sourceOf = ({ reply_channel, reply_to, source }: TaskRow): TaskSource | undefined =>
  source === null ? undefined : {
    kind: source,
    reply: reply_channel === null || reply_to === null ? null : { channel: reply_channel, to: reply_to },
    toolAccess: "all"
  }

interface OnceServices {
  readonly find: (id: TaskId) => Effect.Effect<Task, TaskNotFound>
  readonly message: Tasks["Type"]["message"]
  readonly repo: TaskRepo["Type"]
  readonly transactions: TaskTransactions["Type"]
}

/** As `makeMessage`; the key is stored in the transaction of the message, so that a repeated request changes nothing. */
export const makeMessageOnce = ({ find, message, repo, transactions }: OnceServices): Tasks["Type"]["messageOnce"] =>
  Effect.fn("Tasks.messageOnce")(function*(id, text, userId, idempotency) {
    const { digest, key } = idempotency
    const caller = ownerOf(idempotency.caller)
    const send = Effect.gen(function*() {
      if (!(yield* repo.takeKey(caller, key, { digest, task_id: id }))) return Option.none()
      const task = yield* message(id, text, userId)
      if (task.id !== id) yield* repo.assignKey(caller, key, task.id)
      return Option.some(task)
    })
    const sent = yield* Effect.catchTag(transactions.run(send), "SqlError", Effect.die)
    return Option.isSome(sent) ? sent.value : yield* acceptedBefore(repo, idempotency, find)
  })
