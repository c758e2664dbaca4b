import { assert } from "@effect/vitest"
import { AgentName } from "@troupe/domain/Agent"
import { TaskRequestInvalid } from "@troupe/domain/Task"
import { Context, Effect, Layer, Option } from "effect"
import { Agents } from "../../src/Agent/Definition/Agents.ts"
import { AgentUses } from "../../src/Agent/Definition/AgentUses.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { dispatchSubagentTo } from "../../src/Tool/ParkingTools.ts"
import { tool } from "../Agent/loop.ts"
import { givenCompleted, request } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { becomes } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { cast, childrenOf, dispatch, resultsOf, tools } from "./subtasks.ts"

const draft = (name: string) => ({
  name: AgentName.make(name),
  description: `About ${name}.`,
  instructions: `Do as ${name} says.`
})

const given = (name: string, fields: object = {}) =>
  Effect.flatMap(
    Agents,
    (agents) => Effect.zipRight(Effect.ignore(agents.remove(name)), agents.create({ ...draft(name), ...fields }))
  )

const [echo, other] = [tool("echo", "read", Effect.succeed("")), tool("other", "read", Effect.succeed(""))]

const asked = request("Do it")

inWorld("A task's agent", (test) => {
  test("is the one that the request names, in its revision of now, within its budget", function*() {
    const tasks = yield* Tasks
    const { revision } = yield* given("sales", { max_tokens_total: 9_000 })
    const made = yield* tasks.submit({ ...asked, agent: "Sales", max_tokens_total: 50_000 })
    assert.deepInclude(made, { agent: "sales", agent_revision: revision, token_budget: 9_000 })
    assert.deepInclude(yield* tasks.find(made.id), { agent: "sales", agent_revision: revision })
    const small = yield* tasks.submit({ ...asked, agent: "sales", max_tokens_total: 5_000 })
    assert.strictEqual(small.token_budget, 5_000)
    assert.deepInclude(yield* tasks.submit(asked), { agent: null, agent_revision: null })
  })

  test("limits what it may cost, where the request does not limit that further", function*() {
    const tasks = yield* Tasks
    yield* given("sales", { max_cost: 0.5 })
    const costOf = (max_cost?: number) =>
      Effect.map(
        tasks.submit({ ...asked, agent: "sales", ...(max_cost === undefined ? {} : { max_cost }) }),
        (made) => made.max_cost
      )
    assert.deepStrictEqual([yield* costOf(), yield* costOf(2), yield* costOf(0.1)], [0.5, 0.5, 0.1])
  })

  test("has no more rounds than AGENT_MAX_ITERATIONS", function*() {
    yield* given("sales", { max_iterations: 500 })
    const made = yield* Effect.flatMap(Tasks, (tasks) => tasks.submit({ ...asked, agent: "sales" }))
    assert.strictEqual(made.max_iterations, 200)
  })

  test("is refused where there is none of that name, with the nearest", function*() {
    yield* given("sales")
    const error = yield* Effect.flip(Effect.flatMap(Tasks, (tasks) => tasks.submit({ ...asked, agent: "sale" })))
    assert.instanceOf(error, TaskRequestInvalid)
    assert.strictEqual(error.message, "agent: there is no agent \"sale\". Did you mean sales?")
  })

  test("is the one that claims what it comes from, unless the request names another", function*() {
    const tasks = yield* Tasks
    yield* given("payer", { webhooks: ["payments"] })
    yield* given("sales")
    const source = { kind: "webhook", toolAccess: "all", claim: { field: "webhooks", names: ["payments"] } } as const
    assert.strictEqual((yield* tasks.submit({ ...asked, source })).agent, "payer")
    assert.strictEqual((yield* tasks.submit({ ...asked, source, agent: "sales" })).agent, "sales")
    const other = { ...source, claim: { field: "webhooks", names: ["orders"] } } as const
    assert.isNull((yield* tasks.submit({ ...asked, source: other })).agent)
  })

  test("is kept by a continuation: in its revision of then, or in the old one with its limits if it is gone", function*() {
    const tasks = yield* Tasks
    const agents = yield* Agents
    const { query } = yield* Wire
    const limits = { max_cost: 0.5, max_iterations: 7 }
    const first = yield* given("sales", { ...limits, max_tokens_total: 9_000 })
    const began = yield* tasks.submit({ ...asked, agent: "sales" })
    yield* query("update actors set status = 'completed', wake_at = null, completed_at = now() where task_id = $1", [
      began.id
    ])
    const changed = yield* agents.update("sales", { description: "Changed." })
    const goesOn = { ...asked, continue_task_id: began.id }
    assert.deepInclude(yield* tasks.submit(goesOn), { agent: "sales", agent_revision: changed.revision })
    yield* agents.remove("sales")
    assert.deepInclude(yield* tasks.submit(goesOn), {
      ...limits,
      agent: "sales",
      agent_revision: first.revision,
      token_budget: 9_000
    })
    assert.deepInclude(yield* tasks.submit({ ...goesOn, max_cost: 0.1 }), { ...limits, max_cost: 0.1 })
    yield* given("other")
    assert.strictEqual((yield* tasks.submit({ ...goesOn, agent: "other" })).agent, "other")
    const plain = yield* givenCompleted()
    assert.isNull((yield* tasks.submit({ ...asked, continue_task_id: plain })).agent)
  })

  test("leads to its tasks, and to each revision that they used with its text, the last used first", function*() {
    const tasks = yield* Tasks
    const uses = yield* Effect.map(Layer.build(AgentUses.layer), Context.get(AgentUses))
    const old = yield* given("sales")
    const first = yield* tasks.submit({ ...asked, agent: "sales" })
    const now = yield* Effect.flatMap(Agents, ({ update }) => update("sales", { description: "Changed." }))
    const second = yield* tasks.submit({ ...asked, agent: "sales" })
    yield* tasks.submit(asked)
    const { items } = yield* tasks.list({ agent: "sales" })
    assert.deepStrictEqual(items.map(({ id }) => id), [second.id, first.id])
    assert.deepStrictEqual(
      (yield* uses.of("sales")).map(({ content, revision, tasks }) => [revision, tasks, content]).toSorted(),
      [[old.revision, 1, old.content], [now.revision, 1, now.content]].toSorted()
    )
    assert.deepStrictEqual(yield* uses.of("nobody"), [])
  })

  test("costs no statement after the first task of its revision in a process", function*() {
    const tasks = yield* Tasks
    const wire = yield* Wire
    yield* given("frugal")
    yield* tasks.submit({ ...asked, agent: "frugal" })
    const count = (submit: Effect.Effect<unknown, unknown>) =>
      Effect.gen(function*() {
        wire.sent.length = 0
        yield* submit
        return wire.sent.length
      })
    assert.strictEqual(yield* count(tasks.submit({ ...asked, agent: "frugal" })), yield* count(tasks.submit(asked)))
  })

  test("is given to the worker with the text that it began with", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const { content, revision } = yield* given("sales")
    const { id } = yield* tasks.submit({ ...asked, agent: "sales" })
    yield* Effect.flatMap(Agents, ({ remove }) => remove("sales"))
    const rows = yield* query<{ text: string; agent_revision: string }>(
      "select p.text, t.agent_revision from tasks t join prompt_texts p on p.id = t.agent_text where t.id = $1",
      [id]
    )
    assert.deepStrictEqual(rows, [{ text: content, agent_revision: revision }])
  })

  test("goes on with its old text after a restart, when its file was changed or is gone meanwhile", function*() {
    const tasks = yield* Tasks
    const agents = yield* Agents
    yield* given("asker", { tools: ["ask_human"], max_iterations: 3 })
    const first = scriptedModel(asks(call("q", "ask_human", { question: "Which?" })))
    const worker = yield* startWorker({ scripted: first, tools })
    const { id } = yield* tasks.submit({ ...asked, agent: "asker" })
    yield* becomes(id, "waiting_input")
    yield* worker.stop
    yield* agents.update("asker", { instructions: "Something else.", tools: ["read_file"] })
    yield* agents.remove("asker")
    const second = scriptedModel(says("Done."))
    yield* startWorker({ scripted: second, tools })
    yield* tasks.answer(id, "This one", Option.none())
    yield* becomes(id, "completed")
    const [request] = second.requests
    assert.include(request?.system, "Do as asker says.")
    assert.notInclude(request?.system, "Something else.")
    assert.deepStrictEqual(request?.tools.tools.map(({ name }) => name), ["ask_human"])
  })

  test("has no tool but those of its list: another one is neither offered nor run, whatever the model calls", function*() {
    const tasks = yield* Tasks
    yield* given("reader", { tools: ["read_*", "forbidden_not"], disallowed_tools: ["read_secret"] })
    const ran: Array<string> = []
    const noting = (name: string) =>
      tool(
        name,
        "read",
        Effect.sync(() => {
          ran.push(name)
          return name
        })
      )
    const scripted = scriptedModel(
      asks(call("a", "read_file"), call("b", "read_secret"), call("c", "send_email")),
      says("Done.")
    )
    yield* startWorker({ scripted, tools: ["read_file", "read_secret", "send_email"].map(noting) })
    const { id } = yield* tasks.submit({ ...asked, agent: "reader" })
    yield* becomes(id, "completed")
    assert.deepStrictEqual(ran, ["read_file"])
    assert.deepStrictEqual(scripted.requests[0]?.tools.tools.map(({ name }) => name), ["read_file"])
    const results = yield* resultsOf(id)
    assert.strictEqual(results[0], "read_file")
    for (const result of results.slice(1)) {
      assert.match(
        result,
        /^Error: there is no tool "(?:read_secret|send_email)"\. (?:Did you mean|The tools are:) read_file[.?]$/
      )
    }
  })

  test("of a subtask is the one that the call names, with its own tools, else that of its parent", function*() {
    const tasks = yield* Tasks
    const { revision } = yield* given("helper", { tools: ["echo"] })
    yield* given("boss", { tools: ["dispatch_subagent", "other"] })
    const scripted = cast({
      "Do it": [
        asks(
          dispatch("a", "Part one", { agent: "helper", agent_type: "research" }),
          dispatch("b", "Part two"),
          dispatch("c", "Part three", { agent: "helpr" })
        )
      ]
    })
    yield* startWorker({ scripted, tools: [...tools.slice(1), dispatchSubagentTo("- helper"), echo, other] })
    const { id } = yield* tasks.submit({ ...asked, agent: "boss" })
    yield* becomes(id, "completed")
    const children = yield* childrenOf(id)
    assert.deepStrictEqual(children.map(({ agent, agent_type }) => [agent, agent_type]), [
      ["helper", "general"],
      ["boss", "general"]
    ])
    assert.strictEqual(children[0]?.agent_revision, revision)
    const offered = (part: string) =>
      scripted.requests.find(({ messages }) => messages[0]?.content.includes(part))?.tools.tools.map(({ name }) => name)
    assert.deepStrictEqual(offered("Part one"), ["echo"])
    assert.deepStrictEqual(offered("Part two"), ["other"])
    const results = yield* resultsOf(id)
    assert.match(results[0] ?? "", /^The helper subagent is done/)
    assert.strictEqual(results[2], "Error: There is no agent \"helpr\". Did you mean helper?")
  })
})
