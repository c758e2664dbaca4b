import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { requestContent } from "../../src/Model/SpanContent.ts"
import { make } from "../../src/Runtime/Telemetry/OtlpTracing.ts"
import { Claims } from "../../src/Task/Claim/Claims.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { ToolFailed } from "../../src/Tool/AgentTool.ts"
import { tool } from "../Agent/loop.ts"
import { collector, type Received, sendingTo } from "../support/Collector.ts"
import { textTool } from "../support/FakeTool.ts"
import { claim, givenTask } from "../support/GivenTasks.ts"
import { asksSaying, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { rowOf } from "../support/TaskRows.ts"
import { inWorld, type World } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

/** Does the work with what writes the journal and claims, and answers the spans of it and all that was sent. */
const spansOf = <A, E>(work: Effect.Effect<A, E, World>) =>
  Effect.scoped(Effect.gen(function*() {
    const into = yield* collector
    const result = yield* Effect.scoped(Effect.gen(function*() {
      const tracer = yield* make(sendingTo(into.url), { version: "test" })
      return yield* work.pipe(
        Effect.provide(Layer.merge(Journal.layer, Claims.layer)),
        Effect.withTracer(tracer)
      )
    }))
    return { result, spans: into.spans(), sent: into.bodies.join() }
  }))

const name = ({ name }: Received) => name

/** The kind of observation that Langfuse's mapping makes of a span, by the operation of the GenAI conventions. */
const typeOf = ({ facts }: Received) =>
  ({ chat: "GENERATION", invoke_agent: "AGENT", execute_tool: "TOOL" })[String(facts["gen_ai.operation.name"])] ??
    "SPAN"

inWorld("The spans of a task", (test) => {
  test("are one for its run, and within it one for the claim, each step, tool call and commit, without any text", function*() {
    const look = textTool("look", () => Effect.succeed("a secret result"))
    const bad = tool("bad", "read", new ToolFailed({ reason: "a secret reason" }))
    const scripted = scriptedModel(
      asksSaying(
        "a secret thought",
        call("c1", "look", { text: "a secret argument" }),
        call("c2", "bad"),
        call("c3", "a secret")
      ),
      says("a secret answer")
    )
    const { result: id, sent, spans } = yield* spansOf(
      Effect.scoped(Effect.gen(function*() {
        const id = yield* givenTask("a secret wish")
        const entities = yield* makeEntities({
          scripted,
          tools: [look, bad],
          prices: { scripted: { input: 1, output: 2 } }
        })
        yield* entities.wake(yield* claim(id))
        return id
      }))
    )
    const [run, ...others] = spans.filter((span) => span.parentSpanId === undefined)
    assert.deepStrictEqual(others, [])
    assert.strictEqual(run?.name, "invoke_agent troupe")
    assert.deepStrictEqual(run?.facts, {
      task_id: id,
      epoch: 1,
      task_type: "task",
      end: "settled",
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "troupe",
      "gen_ai.agent.id": id,
      "gen_ai.agent.name": "troupe",
      "gen_ai.conversation.id": id
    })
    const within = (parent: Received | undefined) =>
      spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId).map(name).sort()
    assert.deepStrictEqual(within(run), [
      "claim",
      "commit",
      "commit",
      "commit",
      "model step",
      "model step",
      "preparation",
      "tool step"
    ])
    assert.deepStrictEqual(within(spans.find((span) => span.name === "tool step")), [
      "execute_tool bad",
      "execute_tool look",
      "execute_tool unknown"
    ])
    assert.deepStrictEqual(new Set(spans.map(({ traceId }) => traceId)).size, 1)
    for (const { events, facts, links } of spans) {
      assert.deepInclude(facts, { task_id: id, epoch: 1, "gen_ai.conversation.id": id })
      assert.deepStrictEqual([events, links], [[], []])
    }
    const tools = spans.filter((span) => typeOf(span) === "TOOL")
    assert.deepStrictEqual(
      tools.map(({ facts }) => [facts["gen_ai.tool.name"], facts["gen_ai.tool.call.id"], facts["outcome"]].join(" "))
        .sort(),
      ["bad c2 error", "look c1 answered", "unknown c3 error"]
    )
    assert.deepStrictEqual(tools.map(({ status }) => status.code).sort(), [0, 2, 2])
    assert.deepStrictEqual(
      spans.filter((span) => span.name === "commit").map(({ facts }) => [facts["seq"], facts["step"]]),
      [[2, "model"], [3, "results"], [4, "model"]]
    )
    assert.deepStrictEqual(within(spans.find((span) => span.name === "model step")), ["chat scripted"])
    const [chat, ...more] = spans.filter((span) => typeOf(span) === "GENERATION")
    assert.strictEqual(more.length, 1)
    assert.strictEqual(chat?.kind, 3)
    assert.deepInclude(chat?.facts, {
      "gen_ai.provider.name": "offline",
      "gen_ai.request.model": "scripted",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cost": 0.00002
    })
    assert.deepStrictEqual(spans.filter((span) => typeOf(span) === "AGENT"), [run])
    assert.notInclude(sent, "secret")
  })

  test("contain messages, arguments and results where a setting allows it, by the names of the conventions", function*() {
    const look = textTool("look", () => Effect.succeed(`found ${"x".repeat(20_000)}`))
    const scripted = scriptedModel(asksSaying("I look.", call("c1", "look", { text: "here" })), says("Done."))
    const { spans } = yield* spansOf(
      Effect.scoped(Effect.gen(function*() {
        const entities = yield* makeEntities({ scripted, tools: [look], recordsContent: true })
        yield* entities.wake(yield* claim(yield* givenTask("Look around")))
      }))
    )
    const found = spans.find((span) => typeOf(span) === "TOOL")?.facts ?? {}
    assert.strictEqual(found["gen_ai.tool.call.arguments"], "{\"text\":\"here\"}")
    assert.strictEqual(String(found["gen_ai.tool.call.result"]).length, 10_000)
    const [first, second] = spans.filter((span) => typeOf(span) === "GENERATION").map(({ facts }) => facts)
    const textOf = (name: string, facts: Received["facts"] = {}): unknown => JSON.parse(String(facts[name]))
    const asked = { role: "user", parts: [{ type: "text", content: "Look around" }] }
    const said = {
      role: "assistant",
      parts: [
        { type: "text", content: "I look." },
        { type: "tool_call", id: "c1", name: "look", arguments: { text: "here" } }
      ]
    }
    assert.deepStrictEqual(textOf("gen_ai.input.messages", first), [asked])
    assert.deepStrictEqual(textOf("gen_ai.output.messages", first), [{ ...said, finish_reason: "tool_call" }])
    const [system] = textOf("gen_ai.system_instructions", first) as ReadonlyArray<{ readonly content: string }>
    assert.match(system?.content ?? "", /^You are/)
    const input = textOf("gen_ai.input.messages", second) as ReadonlyArray<unknown>
    assert.deepStrictEqual(input.slice(0, 2), [asked, said])
    const [result] = (input[2] as { readonly parts: ReadonlyArray<object> }).parts
    assert.deepStrictEqual(Object.keys(result ?? {}), ["type", "id", "response"])
    assert.deepInclude(result, { type: "tool_call_response", id: "c1" })
    const messages = Array.from(
      { length: 20 },
      (_, at) => ({ role: "user" as const, content: `${at} ${"x".repeat(9_000)}` })
    )
    const newest = requestContent({ system: "", messages })["gen_ai.input.messages"] ?? ""
    assert.isAtMost(newest.length, 101_000)
    assert.match(newest, /^\[\{"role":"user","parts":\[\{"type":"text","content":"9 x/)
  })

  test("differ in the epoch of each run, and show no detail of a crash", function*() {
    const scripted = scriptedModel(() => Effect.die(new Error("a secret")), says("Done."))
    const { result: row, sent, spans } = yield* spansOf(
      Effect.scoped(Effect.gen(function*() {
        const id = yield* givenTask()
        const entities = yield* makeEntities({ scripted })
        const first = yield* claim(id)
        const second = yield* claim(id)
        yield* entities.wake(first)
        yield* entities.wake(second)
        return yield* rowOf(id)
      }))
    )
    assert.strictEqual(row.epoch, 2)
    const runs = spans.filter((span) => span.name === "invoke_agent troupe")
    assert.deepStrictEqual(runs.map(({ facts }) => facts["epoch"]), [1, 2])
    assert.notStrictEqual(runs[0]?.traceId, runs[1]?.traceId)
    assert.deepStrictEqual(runs.map(({ facts }) => facts["end"]), ["fenced", "settled"])
    assert.deepInclude(spans.find((span) => span.name === "model step")?.status, { code: 2, message: "Error" })
    assert.notInclude(sent, "a secret")
  })
})
