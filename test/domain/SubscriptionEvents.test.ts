import { assert, describe, it } from "@effect/vitest"
import { eventOfChange } from "@troupe/domain/Subscription"
import { transitions } from "@troupe/domain/TaskState"

describe("The event of a change of status", () => {
  it("is the same after an event of the task, whatever its status was, except that a claim starts or continues it", () => {
    const events = (name: keyof typeof transitions) =>
      new Set(transitions[name].from.map((from) => eventOfChange(from, transitions[name].to)))
    assert.deepStrictEqual(
      Object.fromEntries(
        (["AskedHuman", "DispatchedSubagents", "Answered", "Completed", "Failed", "Retried"] as const).map((name) => [
          name,
          [...events(name)]
        ])
      ),
      {
        AskedHuman: ["task.waiting"],
        DispatchedSubagents: [null],
        Answered: ["task.resumed"],
        Completed: ["task.completed"],
        Failed: ["task.failed"],
        Retried: [null]
      }
    )
    assert.strictEqual(eventOfChange("pending", "running"), "task.started")
    assert.strictEqual(eventOfChange("waiting_subagents", "running"), null)
  })
})
