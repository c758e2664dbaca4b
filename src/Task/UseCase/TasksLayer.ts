import type { SqlClient } from "@effect/sql/SqlClient"
import { CurrentUser } from "@troupe/api/Authentication"
import { approves as isApproval } from "@troupe/domain/Approval"
import { NotAllowed } from "@troupe/domain/Caller"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import { viewOf } from "@troupe/domain/Message"
import { replay } from "@troupe/domain/Replay"
import { conversation, visibleMessages } from "@troupe/domain/Run"
import { type Task, type TaskNotFound, TaskStateConflict } from "@troupe/domain/Task"
import { type TaskStateEvent, transition } from "@troupe/domain/TaskState"
import { Effect, Either, Layer, Option } from "effect"
import type { Agents } from "../../Agent/Definition/Agents.ts"
import { LargestIterations } from "../../Agent/LargestIterations.ts"
import type { Sandbox } from "../../File/Sandbox.ts"
import { Users } from "../../People/User/Users.ts"
import type { Grants } from "../../Policy/Grants.ts"
import { asService, readFor, statementCaller } from "../../Runtime/Database/Isolation.ts"
import type { PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import type { FirstClaims } from "../Claim/FirstClaims.ts"
import { checkNoSignIn } from "../Command/SignInWakes.ts"
import { type AnswerTo, TaskCommands } from "../Command/TaskCommands.ts"
import { TaskTransactions } from "../Command/TaskTransactions.ts"
import type { LiveText } from "../Events/LiveText.ts"
import { makeTaskEvents } from "../Events/TaskEvents.ts"
import { openingRun } from "../Journal/FirstMessage.ts"
import { Runners } from "../Read/Runners.ts"
import type { ListedTasks } from "../Read/TaskConditions.ts"
import { type FindWithSteps, TaskRepo } from "../Read/TaskRepo.ts"
import type { Shards } from "../Row/Shards.ts"
import type { TaskRow } from "../Row/TaskRow.ts"
import type { TaskSignals } from "../Row/TaskSignals.ts"
import { maySeeContent, taskOf } from "../Row/TaskView.ts"
import { isQueued } from "../Row/WaitingFor.ts"
import { isPaused, makeDecide as makeDecideSpending } from "../Spending/Decisions.ts"
import { asksForApprovals, checkNotByProgram, makeAnswerApproval } from "./ApprovalAnswers.ts"
import { makeDecide } from "./Approvals.ts"
import { makeConversation } from "./Continuations.ts"
import { answerIn } from "./FormAnswers.ts"
import { whyNotAnswered, whyNotRetried } from "./Refusals.ts"
import { makeMessage, makeMessageOnce } from "./TaskMessages.ts"
import { makeRemoval } from "./TaskRemoval.ts"
import { Tasks } from "./Tasks.ts"
import { makeSubmit } from "./TaskSubmission.ts"

export const TasksLayer: Layer.Layer<
  Tasks,
  never,
  | Agents
  | FirstClaims
  | Grants
  | LiveText
  | PreparedStatements
  | Runners
  | Sandbox
  | Shards
  | SqlClient
  | TaskCommands
  | TaskRepo
  | TaskSignals
  | TaskTransactions
  | Users
> = Layer.scoped(
  Tasks,
  Effect.gen(function*() {
    const repo = yield* TaskRepo
    const commands = yield* TaskCommands
    const taskEvents = yield* makeTaskEvents
    const runners = yield* Runners
    const users = yield* Users

    const { findEnd, findRow, findWhole } = repo
    /** The places of the workers, where one of the tasks waits for one. */
    const placesFor = (rows: ReadonlyArray<TaskRow>) => rows.some(isQueued) ? runners.places : Effect.succeed(null)
    const findWith = (read: FindWithSteps) => (id: TaskId): Effect.Effect<Task, TaskNotFound> =>
      Effect.gen(function*() {
        const reader = yield* statementCaller
        const found = yield* read(id)
        // Row-level security has left out the steps; the outline has the outputs, and the kinds and times of the others.
        const { row, steps } = maySeeContent(reader, found.row) ? found : yield* asService(read(id))
        return taskOf(row, Option.some(steps), reader, yield* placesFor([row]))
      })
    const find = findWith(findWhole)

    const list = (query: ListedTasks) =>
      Effect.gen(function*() {
        const reader = yield* statementCaller
        const page = yield* repo.list(query)
        const places = yield* placesFor(page.items)
        return { ...page, items: page.items.map((row) => taskOf(row, Option.none(), reader, places)) }
      })

    const submit = yield* makeSubmit
    const decide = yield* makeDecide

    const check = (permitted: Effect.Effect<ReadonlyArray<TaskId>>, reason: string) =>
      Effect.filterOrFail(permitted, ({ length }) => length > 0, () => new NotAllowed({ reason }))
    const checkRight = (id: TaskId) =>
      check(repo.changeable([id]), `Only its creator, its assignee, an owner or an admin may change task ${id}.`)
    const checkDeletion = (id: TaskId) =>
      check(repo.deletable([id]), `Only its creator, an owner or an admin may delete task ${id}.`)

    /** Checks the change against the state machine, then makes it under the same condition. */
    const change = (
      event: TaskStateEvent,
      wanted: (row: TaskRow) => string,
      apply: (id: TaskId) => Effect.Effect<boolean>
    ) =>
    (id: TaskId) =>
      Effect.gen(function*() {
        const row = yield* findRow(id)
        yield* checkRight(id)
        const allowed = transition(stateOf(row), event)
        if (Either.isRight(allowed) && (yield* apply(id))) return yield* find(id)
        const current = Either.isRight(allowed) ? yield* findRow(id) : row
        return yield* new TaskStateConflict({ id, status: current.status, wanted: wanted(current) })
      })

    const callerId = Effect.map(Effect.serviceOption(CurrentUser), (caller) => Option.getOrNull(caller)?.id ?? null)
    const cancel = Effect.fn("Tasks.cancel")(function*(id: TaskId, reason: Option.Option<string>, by?: UserId) {
      const error = errorOf(reason)
      const canceller = by ?? (yield* callerId)
      return yield* change(
        { _tag: "Failed", error },
        () => "it is finished, so it can't be cancelled",
        (task) => commands.cancel(task, error, { by: canceller })
      )(id)
    })
    const cancelAll = Effect.fn("Tasks.cancelAll")(
      function*(ids: ReadonlyArray<TaskId>, reason: Option.Option<string>) {
        return yield* commands.cancelAll(yield* repo.changeable(ids), errorOf(reason), { by: yield* callerId })
      }
    )

    const decideSpending = yield* makeDecideSpending
    const answerApproval = makeAnswerApproval({ checkRight, commands, decide, find })
    const answerQuestion = (
      id: TaskId,
      response: string,
      userId: Option.Option<UserId>,
      { approves, byButton, call, given }: AnswerTo
    ) =>
      change(
        { _tag: "Answered" },
        (row) => whyNotAnswered(row, { approves, call }),
        (task) =>
          Effect.zipRight(
            Effect.transposeMapOption(userId, users.ensureExists),
            commands.answer(task, response, Option.getOrNull(userId), { approves, byButton, call, given })
          )
      )(id)

    const message = yield* makeMessage({
      answerApproval,
      checkRight,
      commands,
      decide: decideSpending,
      find,
      findRow,
      submit
    })
    const messageOnce = makeMessageOnce({ find, message, repo, transactions: yield* TaskTransactions })

    const removal = yield* makeRemoval({ callerId, checkDeletion, find })

    return Tasks.of({
      submit,
      largestIterations: yield* LargestIterations,
      conversationOf: makeConversation(repo),
      find,
      findWithoutLogs: (id) => Effect.map(findWith(findEnd)(id), (task) => ({ ...task, logs: [] })),
      list,
      counts: repo.counts,
      subtasks: (id, page) =>
        Effect.zipRight(findRow(id), list({ ...page, parent_task_id: id, include_archived: true })),
      ...removal,
      decide: (id, decisions, userId) =>
        Effect.gen(function*() {
          const row = yield* findRow(id)
          yield* Effect.transposeMapOption(userId, users.ensureExists)
          yield* decide(row.id, decisions, Option.getOrNull(userId))
          return yield* find(id)
        }),
      answer: (id, response, userId, { approves = isApproval(response), byButton, call, fields } = {}) =>
        Effect.gen(function*() {
          const row = yield* findRow(id)
          // One that does not wait has no question that the answer could fit.
          const { given, text } = row.status === "waiting_input"
            ? yield* answerIn(row, response, fields)
            : { text: response }
          if (given !== undefined) {
            // The next question of the same call has another id.
            return yield* answerQuestion(id, text, userId, { call: call ?? row.last_tool_call_id, given })
          }
          if (asksForApprovals(row)) return yield* answerApproval(row, response, userId, { approves, call })
          yield* checkNotByProgram(row, approves)
          yield* checkNoSignIn(row)
          if (!isPaused(row)) return yield* answerQuestion(id, response, userId, { approves, byButton, call })
          yield* decideSpending(row, response, Option.getOrNull(userId))
          return yield* find(id)
        }),
      message,
      messageOnce,
      cancel,
      cancelAll,
      retry: change({ _tag: "Retried" }, whyNotRetried, commands.retry),
      messages: (id, full = false) =>
        Effect.gen(function*() {
          const { row, steps } = yield* findWhole(id)
          if (!maySeeContent(yield* statementCaller, row)) return yield* new NotAllowed({ reason: conversationOf(id) })
          const run = replay(openingRun(row.description, row), steps.map(({ step }) => step))
          return (full ? conversation(run) : visibleMessages(run)).map(viewOf)
        }),
      events: (id, after) =>
        Effect.zipWith(findRow(id), statementCaller, (row, caller) => {
          const isOutline = !maySeeContent(caller, row)
          return readFor(caller, taskEvents.ofOne(id, { type: row.task_type, after, isOutline }))
        }),
      allEvents: (after) => Effect.map(statementCaller, (caller) => taskEvents.ofAll(after, caller)),
      usage: (userId, period = {}) => Effect.zipRight(users.check(userId), repo.usage(userId, period)),
      workerStatus: (id) => Effect.zipRight(findRow(id), asService(runners.statusOf(id)))
    })
  })
)

const errorOf = (reason: Option.Option<string>): string =>
  Option.match(reason, { onNone: () => "Cancelled.", onSome: (text) => `Cancelled: ${text}` })

const conversationOf = (id: TaskId) =>
  `Only its creator, its assignee, an owner or an admin may read the conversation of task ${id}.`

const stateOf = (row: TaskRow) => ({
  type: row.task_type,
  status: row.status,
  question: row.question,
  lastToolCallId: row.last_tool_call_id,
  error: row.error
})
