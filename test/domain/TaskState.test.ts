import { assert, describe, it } from "@effect/vitest"
import type { TaskStatus } from "@troupe/domain/Task"
import { inStatus, type TaskState, type TaskStateEvent, transition } from "@troupe/domain/TaskState"
import { Either, FastCheck as fc } from "effect"

const isWaiting = (status: TaskStatus) => status === "waiting_input" || status === "waiting_subagents"

const statuses: ReadonlyArray<TaskStatus> = [
  "pending",
  "running",
  "completed",
  "failed",
  "waiting_input",
  "waiting_subagents"
]

const anyEvent: fc.Arbitrary<TaskStateEvent> = fc.oneof(
  fc.constantFrom<TaskStateEvent>(
    { _tag: "Claimed" },
    { _tag: "Answered" },
    { _tag: "Completed" },
    { _tag: "Retried" }
  ),
  fc.string().map((error): TaskStateEvent => ({ _tag: "Failed", error })),
  fc.record({ question: fc.string(), toolCallId: fc.string() }).map((ask): TaskStateEvent => ({
    _tag: "AskedHuman",
    ...ask
  })),
  fc.array(fc.string()).map((toolCallIds): TaskStateEvent => ({ _tag: "DispatchedSubagents", toolCallIds }))
)

const statesAfter = (type: "task" | "subtask", events: ReadonlyArray<TaskStateEvent>): ReadonlyArray<TaskState> => {
  const states = [inStatus(type, "pending")]
  for (const event of events) {
    const last = states.at(-1) ?? inStatus(type, "pending")
    states.push(Either.getOrElse(transition(last, event), () => last))
  }
  return states
}

const allowed: ReadonlyArray<readonly [TaskStatus, TaskStateEvent["_tag"], TaskStatus]> = [
  ["pending", "Claimed", "running"],
  ["pending", "Failed", "failed"],
  ["running", "Claimed", "running"],
  ["running", "AskedHuman", "waiting_input"],
  ["running", "DispatchedSubagents", "waiting_subagents"],
  ["running", "Completed", "completed"],
  ["running", "Failed", "failed"],
  ["waiting_input", "Answered", "running"],
  ["waiting_input", "Failed", "failed"],
  ["waiting_subagents", "Claimed", "running"],
  ["waiting_subagents", "Failed", "failed"],
  ["failed", "Retried", "pending"]
]

const examples: ReadonlyArray<TaskStateEvent> = [
  { _tag: "Claimed" },
  { _tag: "AskedHuman", question: "Which?", toolCallId: "c1" },
  { _tag: "DispatchedSubagents", toolCallIds: ["c1", "c2"] },
  { _tag: "Answered" },
  { _tag: "Completed" },
  { _tag: "Failed", error: "why" },
  { _tag: "Retried" }
]

describe("TaskState", () => {
  it("allows exactly the transitions of the specification's table", () => {
    const found = statuses.flatMap((status) =>
      examples.flatMap((event) => {
        const next = transition(inStatus("task", status), event)
        return Either.isRight(next) ? [[status, event._tag, next.right.status] as const] : []
      })
    )
    assert.sameDeepMembers([...found], [...allowed])
  })

  it.prop("never lets a subtask wait", [fc.array(anyEvent)], ([events]) => {
    assert.isFalse(statesAfter("subtask", events).some((state) => isWaiting(state.status)))
  })

  it.prop("has a question only while it waits for input, and an error only when it failed", [
    fc.array(anyEvent)
  ], ([events]) => {
    for (const state of statesAfter("task", events)) {
      assert.strictEqual(state.question !== null, state.status === "waiting_input")
      assert.strictEqual(state.lastToolCallId !== null, isWaiting(state.status))
      assert.strictEqual(state.error !== null, state.status === "failed")
    }
  })
})
