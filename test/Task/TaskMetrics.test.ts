import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenTask, processRestarted } from "../support/GivenTasks.ts"
import { growth, scraped, valueOf } from "../support/PrometheusText.ts"
import { asks, call, costing, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { makeEntities, startWorker } from "../support/Workers.ts"

const look = tool("look", "read", Effect.succeed("nothing there"))
const bad = tool("bad", "read", Effect.die(new Error("bad")))

inWorld("The instruments of tasks", (test) => {
  test("count a task's claim, steps, tool calls, commits and end", function*() {
    const scripted = scriptedModel(
      asks(call("c1", "look"), call("c2", "bad"), call("c3", "made up\"{}"), call("c4", "files__read")),
      says("Nothing.")
    )
    const entities = yield* makeEntities({ scripted, tools: [look, bad] })
    const id = yield* givenTask("Look")
    const { of } = yield* growth(Effect.flatMap(claim(id), entities.wake))
    assert.strictEqual(of("troupe_actors_woken_total", { reason: "first" }), 1)
    assert.strictEqual(of("troupe_wake_up_delay_seconds_count"), 1)
    assert.strictEqual(of("troupe_steps_total", { kind: "model" }), 2)
    assert.strictEqual(of("troupe_steps_total", { kind: "results" }), 1)
    assert.strictEqual(of("troupe_journal_commit_seconds_count"), 3)
    assert.strictEqual(of("troupe_journal_group_steps_sum"), 3)
    assert.strictEqual(of("troupe_tasks_ended_total", { outcome: "completed" }), 1)
    const calls = (tool: string, outcome: string) => of("troupe_tool_calls_total", { tool, outcome })
    assert.deepStrictEqual(
      [calls("look", "answered"), calls("bad", "error"), calls("unknown", "error"), calls("server", "error")],
      [1, 1, 1, 1]
    )
    assert.strictEqual(of("troupe_tool_call_seconds_count"), 4)
    assert.strictEqual(of("troupe_actors_parked_total", { reason: "human" }), 0)
  })

  test("count what calls of models cost", function*() {
    const entities = yield* makeEntities({
      scripted: scriptedModel(costing(1_000, says("Nothing."))),
      prices: { scripted: { input: 1_000, output: 0 } }
    })
    const id = yield* givenTask()
    const { of } = yield* growth(Effect.flatMap(claim(id), entities.wake))
    assert.strictEqual(of("troupe_model_cost_total", { model: "scripted", agent: "default", source: "api" }), 1)
  })

  test("count a task that waits as parked, its resume as such, and one that is cancelled as that", function*() {
    const tasks = yield* Tasks
    const asking = tool("ask", "read", Effect.succeed({ _tag: "Asked", content: "Red?" } as const))
    const entities = yield* makeEntities({
      scripted: scriptedModel(asks(call("q", "ask")), says("Red.")),
      tools: [asking]
    })
    const id = yield* givenTask()
    const parked = yield* growth(Effect.flatMap(claim(id), entities.wake))
    assert.strictEqual(parked.of("troupe_actors_parked_total", { reason: "human" }), 1)
    assert.strictEqual(parked.of("troupe_tasks_ended_total", { outcome: "completed" }), 0)
    yield* tasks.answer(id, "Yes", Option.none())
    const resumed = yield* growth(Effect.flatMap(claim(id), entities.wake))
    assert.strictEqual(resumed.of("troupe_actors_woken_total", { reason: "resume" }), 1)
    assert.strictEqual(resumed.of("troupe_wake_up_delay_seconds_count"), 1)
    assert.strictEqual(resumed.of("troupe_tasks_ended_total", { outcome: "completed" }), 1)

    const other = yield* givenTask()
    const cancelled = yield* growth(tasks.cancel(other, Option.none()))
    assert.strictEqual(cancelled.of("troupe_tasks_ended_total", { outcome: "cancelled" }), 1)
  })

  test("count crashes, the claims after them as recoveries, and fenced writes", function*() {
    const commands = yield* TaskCommands
    const crashing = scriptedModel(() => Effect.die(new Error("crash")))
    const entities = yield* makeEntities({ scripted: crashing, tools: [] })
    const id = yield* givenTask()
    const crashed = yield* growth(Effect.flatMap(claim(id), entities.wake))
    assert.strictEqual(crashed.of("troupe_actors_crashed_total"), 1)
    assert.strictEqual(crashed.of("troupe_steps_total", { kind: "crashed" }), 1)
    assert.strictEqual(crashed.of("troupe_actors_parked_total", { reason: "timer" }), 0)

    const other = yield* givenTask()
    const held = yield* claim(other)
    yield* processRestarted
    const recovered = yield* growth(claim(other))
    assert.strictEqual(recovered.of("troupe_actors_woken_total", { reason: "recovery" }), 1)
    assert.strictEqual(recovered.of("troupe_wake_up_delay_seconds_count"), 0)
    yield* commands.cancel(other, "No.")
    const fenced = yield* growth(entities.wake(held))
    assert.strictEqual(fenced.of("troupe_actors_fenced_total"), 1)
    assert.strictEqual(fenced.of("troupe_tasks_ended_total", { outcome: "completed" }), 0)
  })

  test("show the actors at work, the shards held and the connections in use", function*() {
    const gate = yield* Effect.makeLatch(false)
    const waiting = scriptedModel((request) => Effect.zipRight(gate.await, says("Done.")(request)))
    yield* startWorker({ scripted: waiting })
    yield* givenTask()
    const active = Effect.map(scraped, (families) => valueOf(families, "troupe_actors_active"))
    yield* eventually(active, (count) => count === 1)
    const families = yield* scraped
    assert.strictEqual(valueOf(families, "troupe_shards_held"), 300)
    const connections = families.get("troupe_database_connections")?.samples.filter(({ labels }) =>
      labels["pool"] === "troupe-hot"
    ).reduce((sum, { value }) => sum + value, 0) ?? 0
    assert.isAtLeast(connections, 1)
    yield* gate.open
    yield* eventually(active, (count) => count === 0)
  })
})
