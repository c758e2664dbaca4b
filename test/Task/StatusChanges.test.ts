import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { TaskStatus } from "@troupe/domain/Task"
import { inStatus, type TaskState, type TaskStateEvent, transition } from "@troupe/domain/TaskState"
import { Effect, Either } from "effect"
import { Claims } from "../../src/Task/Claim/Claims.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { alice, givenTask } from "../support/GivenTasks.ts"
import { rowOf, rowsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

/** What goes with a status. */
const facts: { readonly [Status in TaskStatus]: Partial<TaskState> } = {
  pending: {},
  running: {},
  completed: {},
  failed: { error: "It broke." },
  waiting_input: { question: "Which one?", lastToolCallId: "ask1" },
  waiting_subagents: { lastToolCallId: "[\"call1\"]" }
}

/** A due task whose row is in this status. */
const givenIn = (status: TaskStatus) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const id = yield* givenTask()
    const state: TaskState = { ...inStatus("task", status), ...facts[status] }
    yield* query(
      `update actors set status = $2, question = $3, last_tool_call_id = $4, error = $5, seq = 3, epoch = 1
       where task_id = $1`,
      [id, status, state.question, state.lastToolCallId, state.error]
    )
    return { id, state }
  })

const stateOf = (id: TaskId) =>
  Effect.map(rowOf(id), (row): TaskState => ({
    type: "task",
    status: row.status as TaskStatus,
    question: row.question,
    lastToolCallId: row.last_tool_call_id,
    error: row.error
  }))

const error = "Cancelled: not needed"

const claim = Effect.flatMap(Claims, (claims) => claims.take({ asked: 1, perUser: 1, after: "", active: new Map() }))

/** Each statement that changes a status, with the event that it stands for. */
const statements: ReadonlyArray<{
  readonly name: string
  readonly event: TaskStateEvent
  readonly run: (id: TaskId) => Effect.Effect<unknown, unknown, Claims | TaskCommands>
}> = [
  { name: "claim", event: { _tag: "Claimed" }, run: () => claim },
  {
    name: "cancel",
    event: { _tag: "Failed", error },
    run: (id) => Effect.flatMap(TaskCommands, (commands) => commands.cancel(id, error))
  },
  {
    name: "retry",
    event: { _tag: "Retried" },
    run: (id) => Effect.flatMap(TaskCommands, (commands) => commands.retry(id))
  },
  {
    name: "answer",
    event: { _tag: "Answered" },
    run: (id) => Effect.flatMap(TaskCommands, (commands) => commands.answer(id, "This one", alice))
  }
]

inWorld("Statements that change a status", (test) => {
  for (const { event, name, run } of statements) {
    for (const status of TaskStatus.literals) {
      const next = transition(inStatus("task", status), event)
      test(
        `${name} ${
          Either.isRight(next) ? `makes a ${status} task ${next.right.status}` : `leaves a ${status} task alone`
        }`,
        Effect.gen(function*() {
          const { id, state } = yield* givenIn(status)
          yield* run(id)
          assert.deepStrictEqual(yield* stateOf(id), Either.getOrElse(transition(state, event), () => state))
          assert.strictEqual((yield* rowOf(id)).seq, Either.isRight(next) ? 4 : 3, "a step goes with each change")
          assert.strictEqual((yield* rowsOf(id))["inbox"], name === "answer" && Either.isRight(next) ? 1 : 0)
        })
      )
    }
  }

  for (const status of TaskStatus.literals) {
    test(`deleting ends a ${status} task only if it may fail, and then removes it`, function*() {
      const tasks = yield* Tasks
      const { id, state } = yield* givenIn(status)
      yield* tasks.remove(id)
      const next = transition(state, { _tag: "Failed", error: "Cancelled: the task was archived." })
      assert.deepStrictEqual(yield* stateOf(id), Either.getOrElse(next, () => state))
      yield* tasks.remove(id)
      assert.strictEqual((yield* rowsOf(id))["actors"], 0)
    })
  }
})
