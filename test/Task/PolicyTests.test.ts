import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { defaultPolicy, type Policy } from "@troupe/domain/Policy"
import { Clock, Effect, Layer, Option } from "effect"
import { v7 } from "uuid"
import { Policies } from "../../src/Policy/Policies.ts"
import { PolicyTests } from "../../src/Policy/PolicyTests.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { SkillScripts } from "../../src/Skill/SkillScripts.ts"
import { PolicyTestsLayer } from "../../src/Task/Read/PolicyTestsLayer.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import type { AgentTool } from "../../src/Tool/AgentTool.ts"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { buffersOf } from "../support/Buffers.ts"
import { eventually } from "../support/Eventually.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { alice, givenTask, request } from "../support/GivenTasks.ts"
import { growth } from "../support/PrometheusText.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld, type Sent, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

const ofServer = (tool: AgentTool): AgentTool => ({
  ...tool,
  server: { name: "crm", binding: "b", isOpenWorld: true }
})

const tools = [
  ofServer({ ...fakeTool("crm__read", Effect.succeed("Call me")), shows: { outside: "the result of crm__read" } }),
  ofServer(fakeTool("crm__post", Effect.succeed("posted"), { effect: "outside" }))
]

/** What the test says, and the statements that it sends. */
const runSending = (policy: Partial<Policy> = {}, days = 30) =>
  Effect.gen(function*() {
    const sent: Array<Sent> = []
    const real = yield* SearchStatements
    const captured = Layer.succeed(SearchStatements, {
      execute: (query) => Effect.zipRight(Effect.sync(() => void sent.push(query)), real.execute(query))
    })
    const report = yield* Effect.flatMap(PolicyTests, (tests) => tests.run({ ...defaultPolicy, ...policy }, days)).pipe(
      Effect.provide(PolicyTestsLayer.pipe(Layer.provide([
        captured,
        Layer.mock(Skills, { custom: "", scriptTools: () => [] }),
        Layer.mock(SkillScripts, { judgement: { isClosed: false, isUnsafe: false, detail: "", fix: null } }),
        Layer.mock(ToolServerRepo, { listed: Effect.succeed([]) })
      ])))
    )
    return { report, sent }
  })

const run = (...given: Parameters<typeof runSending>) => Effect.map(runSending(...given), ({ report }) => report)

/** A task that reads something from outside, then posts it, which the preset asks about and a person approves. */
const posted = Effect.fnUntraced(function*() {
  const tasks = yield* Tasks
  const scripted = scriptedModel(asks(call("one", "crm__read")), asks(call("two", "crm__post")), says("Done."))
  yield* startWorker({ scripted, tools, policies: Policies.layerOf() })
  const { id } = yield* tasks.submit(request("Post what the customers say"))
  yield* eventually(tasks.find(id), ({ status }) => status === "waiting_input")
  yield* tasks.decide(id, [{ tool_call_id: "two", decision: "approve" }], Option.some(alice))
  yield* eventually(tasks.find(id), ({ status }) => status === "completed")
  return id
})

/** An id of a task that was made so many days ago. */
const idBefore = (days: number) => Effect.map(Clock.currentTimeMillis, (now) => v7({ msecs: now - days * 86_400_000 }))

const changes = (id: TaskId, ...calls: ReadonlyArray<readonly [string, string, string, string, number | null]>) =>
  calls.map(([tool_call_id, tool, before, after, rule]) => ({ task_id: id, tool_call_id, tool, before, after, rule }))

inWorld("The test of rules", (test) => {
  test("changes nothing with the rules under which the calls were decided", function*() {
    yield* posted()
    assert.deepStrictEqual(yield* run(), {
      tasks: 1,
      calls: 2,
      allowed: 1,
      asked: 1,
      denied: 0,
      changed: [],
      left_out: null
    })
  })

  test("says which calls another preset, rules or classes decide otherwise", function*() {
    const id = yield* posted()
    const quiet = yield* run({ preset: "quiet" })
    assert.deepInclude(quiet, { allowed: 2, asked: 0, denied: 0 })
    assert.deepStrictEqual<unknown>(quiet.changed, changes(id, ["two", "crm__post", "ask", "allow", null]))
    const denied = yield* run({ rules: [{ effect: "allow", tool: "*" }, { effect: "deny", tool: "crm__*" }] })
    assert.deepInclude(denied, { allowed: 0, asked: 0, denied: 2 })
    assert.deepStrictEqual<unknown>(
      denied.changed,
      changes(id, ["one", "crm__read", "allow", "deny", 1], ["two", "crm__post", "ask", "deny", 1])
    )
    const outside = yield* run({ rules: [{ effect: "ask", tool: "crm__read", when: { context: "outside" } }] })
    assert.deepStrictEqual(outside.changed, [], "the first call was made in a trusted context")
    const classes = yield* run({ classes: { "crm__read": "destructive", "crm__post": "read" } })
    assert.deepStrictEqual<unknown>(
      classes.changed,
      changes(id, ["one", "crm__read", "allow", "ask", null], ["two", "crm__post", "ask", "allow", null])
    )
  })

  test("is about decisions that the metrics count, with the time until a person decided", function*() {
    const { of } = yield* growth(posted())
    const decisions = (effect: string, cause: string) => of("troupe_policy_decisions_total", { effect, cause })
    assert.deepStrictEqual(
      [decisions("allow", "preset"), decisions("ask", "preset"), decisions("allow", "approval")],
      [1, 1, 1]
    )
    assert.strictEqual(of("troupe_approval_wait_seconds_count", { decision: "approved" }), 1)
    assert.strictEqual(of("troupe_approval_wait_seconds_count", { decision: "denied" }), 0)
  })

  test("reads journals of earlier versions, which have no decisions", function*() {
    const id = yield* posted()
    const { query } = yield* Wire
    yield* query(
      "update steps set body = (body::jsonb - 'decided' - 'asking' - 'asked' - 'shown')::text where task_id = $1",
      [
        id
      ]
    )
    const { changed } = yield* run()
    assert.deepStrictEqual<unknown>(changed, changes(id, ["two", "crm__post", "allow", "ask", null]))
  })

  test("reads the tasks of so many days", function*() {
    const id = yield* posted()
    const { query } = yield* Wire
    const old = yield* idBefore(3)
    yield* query("update tasks set id = $2 where id = $1", [id, old])
    yield* query("update actors set task_id = $2 where task_id = $1", [id, old])
    yield* query("update steps set task_id = $2 where task_id = $1", [id, old])
    assert.deepInclude(yield* run({}, 2), { tasks: 0, calls: 0 })
    assert.deepInclude(yield* run({}, 4), { tasks: 1, calls: 2 })
  })

  test("reads a limited number of tasks, the newest, and says which it left out", function*() {
    const id = yield* givenTask()
    const { query } = yield* Wire
    yield* query(
      `with made as (
  insert into tasks (id, created_at, creator, title, description, task_type)
  select ($2 || lpad(to_hex(n), 12, '0'))::uuid, now(), creator, title, description, task_type
  from tasks, generate_series(1, 5000) n where id = $1 returning id
)
insert into actors (task_id, shard, creator, updated_at, status)
select made.id, shard, creator, updated_at, 'completed' from made, actors where task_id = $1`,
      [id, `${(yield* idBefore(1)).slice(0, 14)}7000-8000-`]
    )
    yield* query("vacuum analyze tasks")
    yield* query("vacuum analyze actors")
    const { report, sent } = yield* runSending()
    assert.strictEqual(report.tasks, 5_000)
    assert.match(report.left_out ?? "", /^Tasks made before 20\S+ were left out, because the test reads 5000 tasks\.$/)
    assert.lengthOf(sent, 50, "no journal of a task without calls is read")
    const pages = yield* buffersOf(sent.at(25), { plan_cache_mode: "force_custom_plan", jit: "off" })
    assert.isAtMost(pages, 8 * 100, "a page of a hundred tasks is read by keys")
  })
})
