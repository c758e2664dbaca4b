import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { tool } from "../Agent/loop.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { request } from "../support/GivenTasks.ts"
import { asks, call, costing, says } from "../support/ScriptedModel.ts"
import { becomes, stepsOf } from "../support/TaskRows.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { cast, childrenOf, dispatch, resultsOf, tools } from "./subtasks.ts"

inWorld("Subtasks", (test) => {
  test("of a parent with a budget share what it has left beyond its own next call, and what they used counts as its own", function*() {
    const tasks = yield* Tasks
    const scripted = cast({
      Plan: [costing(10_000, asks(dispatch("a", "Part one", { token_budget: 10_000 }), dispatch("b", "Part two")))],
      "Part one": [costing(9_000, says("One."))],
      "Part two": [costing(61_000, says("Two."))]
    })
    yield* startWorker({ scripted, tools })
    const { id } = yield* tasks.submit(request("Plan it", { max_tokens_total: 100_000 }))
    yield* becomes(id, "completed")
    const children = yield* childrenOf(id)
    assert.deepStrictEqual(children.map(({ token_budget }) => token_budget), [10_000, 67_500])
    assert.strictEqual((yield* tasks.find(id)).tokens_used, 10_015)
    assert.include(JSON.stringify((yield* stepsOf(id)).at(-1)), "\"kind\":\"low\"")
  })

  test("that are deleted while they run cost their parent all that they were granted, because their usage is unknown", function*() {
    const tasks = yield* Tasks
    for (const [maxTokensTotal, spent] of [[100_000, 30_000], [null, 0]] as const) {
      const scripted = cast({
        Plan: [asks(dispatch("a", "Hangs", { token_budget: 30_000 }))],
        Hangs: [() => Effect.never]
      })
      const worker = yield* startWorker({ scripted, tools, grace: "10 millis" })
      const { id } = yield* tasks.submit(request("Plan it", { max_tokens_total: maxTokensTotal }))
      yield* becomes(id, "waiting_subagents")
      const [child] = yield* childrenOf(id)
      yield* becomes(child?.id ?? id, "running")
      // The parent must not look between the two: the first one only cancels the subtask.
      yield* worker.stop
      yield* tasks.remove(child?.id ?? id)
      yield* tasks.remove(child?.id ?? id)
      const next = yield* startWorker({ scripted, tools })
      yield* becomes(id, "completed")
      yield* next.stop
      assert.deepInclude((yield* stepsOf(id)).filter(({ kind }) => kind === "results").at(-1), { spent })
    }
  })

  test("work with the context, the limits, the budget and the tools that they were given, in their parent's project", function*() {
    const tasks = yield* Tasks
    const endless = Array.from({ length: 15 }, (_, turn) => asks(call(`n${turn}`, "note")))
    const long = "x".repeat(5_000)
    const scripted = cast({
      Plan: [
        asks(
          dispatch("a", "Part one", { context: "Known so far: 41.", max_iterations: 2 }),
          dispatch("b", "Part two", { token_budget: 1_000_000 }),
          dispatch("c", "Part three", { agent_type: "research" })
        )
      ],
      "Part one": endless,
      "Part two": [costing(999_999, asks(call("n", "note"))), says("Never.")],
      "Part three": [asks(call("w", "write_file"), call("q", "ask_human", { question: "May I?" })), says(long)]
    })
    const written: Array<string> = []
    const writing = fakeTool("write_file", Effect.sync(() => (written.push("it"), "written")), {
      effect: "outside",
      forSubagents: ["general"]
    })
    const note = tool("note", "read", Effect.succeed("noted"))
    yield* startWorker({ scripted, tools: [...tools, note, writing] })
    const { id } = yield* tasks.submit(request("Plan it", { project_id: "apollo" }))
    yield* becomes(id, "completed")
    const children = yield* childrenOf(id)
    assert.deepStrictEqual(children.map(({ project_id }) => project_id), ["apollo", "apollo", "apollo"])
    assert.deepStrictEqual(children.map(({ iteration_count }) => iteration_count), [2, 1, 2])
    const said = yield* Effect.forEach(children, (child) => Effect.map(tasks.messages(child.id), JSON.stringify))
    assert.include(said[0], "Known so far: 41.")
    assert.match(said[2] ?? "", /there is no tool \\\\?"write_file.*there is no tool \\\\?"ask_human/)
    assert.deepStrictEqual(written, [])
    const [, , third = ""] = yield* resultsOf(id)
    assert.include(third, "[Truncated: the first 4000 of ")
    assert.isBelow(third.length, 4_200)
  })
})
