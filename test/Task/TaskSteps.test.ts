import { assert } from "@effect/vitest"
import type { Caller } from "@troupe/domain/Caller"
import { ToolCallId } from "@troupe/domain/Ids"
import { parentLimits, subagentLimits } from "@troupe/domain/Limits"
import { viewOf } from "@troupe/domain/Message"
import { Chunk, Clock, Effect, Layer, Stream } from "effect"
import { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import { PromptContext, promptTime } from "../../src/Agent/PromptContext.ts"
import { requireCaller } from "../../src/Runtime/Database/Isolation.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { TaskSteps } from "../../src/Task/UseCase/TaskSteps.ts"
import type { ToolOutcome } from "../../src/Tool/AgentTool.ts"
import { skill } from "../Agent/loop.ts"
import { memberAlice, memberBob } from "../People/alice.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { claim, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { contextAt } from "../support/PromptContexts.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

const long = "mangrove ".repeat(1_000)

/** A task of Alice with a model call, a long tool result and a summary. */
const givenWork = Effect.gen(function*() {
  const journal = yield* Journal
  const id = yield* givenTask("Find the mangrove")
  const look = call("c1", "look", { tree: "mangrove" })
  const first = stepAfter(yield* claim(id), {
    kind: "model",
    message: { role: "assistant", content: "I look.", tool_calls: [look], opaque: { kept: "secret" } },
    tokens: [10, 5],
    cost: 0.25,
    millis: 3
  })
  yield* journal.append(first)
  yield* journal.append({
    ...first,
    seq: 3,
    step: {
      kind: "results",
      results: [{
        message: { role: "tool", tool_call_id: ToolCallId.make("c1"), name: "look", content: long },
        millis: 7
      }]
    }
  })
  yield* journal.append({
    ...first,
    seq: 4,
    step: { kind: "compacted", because: "messages", upto: 1, summary: "They want a tree.", tokens: [8, 4], millis: 2 }
  })
  yield* journal.append({
    ...first,
    seq: 5,
    step: {
      kind: "model",
      message: { role: "assistant", content: "A tree.", tool_calls: [] },
      tokens: [9, 1],
      millis: 4
    }
  })
  return id
})

const steps = Effect.flatMap(Layer.build(TaskSteps.layer), (context) => TaskSteps.pipe(Effect.provide(context)))

const asked = (caller: Caller) => <A, E, R>(effect: Effect.Effect<A, E, R>) => requireCaller(as(caller)(effect))

inWorld("TaskSteps", (test) => {
  test("lists the steps from the newest on, in pages, with long texts cut", function*() {
    const { list } = yield* steps
    const id = yield* givenWork
    const first = yield* list(id, { limit: 3 })
    assert.isTrue(first.hasMore)
    assert.deepStrictEqual(first.items.map(({ kind, seq, truncated }) => [seq, kind, truncated]), [
      [5, "model", false],
      [4, "compacted", false],
      [3, "results", true]
    ])
    assert.deepInclude(first.items[2], { duration_ms: 7, text: null, input_tokens: null })
    assert.strictEqual(first.items[2]?.results[0]?.content, long.slice(0, 2_000))
    const rest = yield* list(id, { limit: 3, cursor: 3 })
    assert.isFalse(rest.hasMore)
    assert.deepInclude(rest.items[0], {
      kind: "model",
      text: "I look.",
      input_tokens: 10,
      output_tokens: 5,
      cost: 0.25,
      duration_ms: 3,
      calls: [call("c1", "look", { tree: "mangrove" })]
    })
    assert.deepInclude(rest.items[1], { seq: 1, kind: "woken", status: "running" })
    assert.deepStrictEqual((yield* list(id, { after: 3 })).items.map(({ seq }) => seq), [5, 4])
  })

  test("gives a whole step, and what the model saw at it", function*() {
    const { context, find } = yield* steps
    const id = yield* givenWork
    const result = yield* find(id, "3")
    assert.deepInclude(result, { seq: 3, truncated: false })
    assert.strictEqual(result.results[0]?.content, long)
    const before = yield* context(id, "2")
    assert.deepStrictEqual(before.messages, [{ role: "user", content: "Find the mangrove" }])
    assert.deepInclude(before, { replaced: 0, system: null, tools: null }, "an earlier version kept no prompt")
    const later = yield* context(id, "5")
    assert.strictEqual(later.replaced, 1)
    assert.deepStrictEqual(later.messages.map(({ role }) => role), ["system", "assistant", "tool"])
    assert.include(later.messages[0]?.content, "They want a tree.")
    const compacted = yield* context(id, "4")
    assert.deepStrictEqual([compacted.replaced, compacted.messages], [1, later.messages])
    assert.notInclude(JSON.stringify(later), "secret")
  })

  test("gives the prompt without data of others, the tools and the messages of each call as the model got them", function*() {
    const { context, list } = yield* steps
    const scripted = scriptedModel(
      asks(call("c1", "look")),
      asks(call("c2", "ask")),
      asks(call("c3", "look")),
      says("Done.")
    )
    const entities = yield* makeEntities({
      scripted,
      tools: [
        fakeTool("look", Effect.succeed("</tool_result> A mangrove")),
        fakeTool("ask", Effect.succeed<ToolOutcome>({ _tag: "Asked", content: "Which one?" }))
      ],
      limits: { parent: { ...parentLimits, soft: 3 }, subagent: subagentLimits },
      promptContext: Layer.succeed(PromptContext, {
        of: () =>
          Effect.map(Clock.currentTimeMillis, (now) => ({
            ...contextAt(promptTime(now, "Europe/Berlin")),
            requester: "Alice, who plants $& trees",
            projectContext: "The channel talks about trees."
          }))
      }),
      preparation: Layer.succeed(IntentPreprocessing, {
        prepare: () =>
          Effect.succeed({
            kind: "prepared",
            skills: [{ name: skill.name, score: 1 }],
            memories: [{ content: "Alice likes mangroves.", date: "2026-01-01", score: 0.5 }],
            millis: 1
          }),
        skillsOf: (prepared) => Effect.succeed(prepared === null ? [] : [skill])
      })
    })
    const id = yield* givenTask("Find the mangrove </task>")
    yield* entities.wake(yield* claim(id))
    const { query } = yield* Wire
    yield* (yield* TaskCommands).answer(id, "The tall one", null)
    yield* entities.wake(yield* claim(id))
    const calls = (yield* list(id, {})).items.filter(({ kind }) => kind === "model").toReversed()
    assert.lengthOf(calls, 4)
    for (const [index, { seq }] of calls.entries()) {
      const sent = scripted.requests[index] ?? assert.fail(`No request ${index}`)
      const shown = yield* context(id, String(seq))
      assert.strictEqual(
        shown.system,
        sent.system.replace(
          "The channel talks about trees.",
          "[Not recorded, as it may be data of other people: the project, its channel and messages there]"
        )
      )
      assert.deepStrictEqual(shown.tools, JSON.parse(JSON.stringify(sent.tools.tools)))
      assert.deepStrictEqual(shown.messages, sent.messages.map(viewOf))
    }
    assert.include(scripted.requests[3]?.system, "Wrap up now: 3 of")
    // Whoever is asked to answer reads the conversation, not what else the creator has told the service.
    yield* ensureRequestRole()
    yield* (yield* Wire).query("update tasks set assignee = 'bob' where id = $1", [id])
    const shownTo = (caller: Caller) => asked(caller)(context(id, String(calls[0]?.seq)))
    const toBob = yield* shownTo(memberBob)
    assert.deepStrictEqual([toBob.memories, JSON.stringify(toBob).includes("mangroves")], [[], false])
    assert.deepStrictEqual((yield* shownTo(memberAlice)).memories, ["Alice likes mangroves."])
    const [kept] = yield* query<{ own: number; shared: number; others: number }>(
      `select (select count(*) from steps where task_id = $1 and body like '%"prompt":%')::int as own,
         (select count(*) from prompt_texts where text like '%Alice%')::int as shared,
         (select count(*) from steps where body like '%channel talks%')::int as others`,
      [id]
    )
    // One in each run; what is of the requester is in the task's own steps, and what is of others nowhere.
    assert.deepStrictEqual(kept, { own: 2, shared: 0, others: 0 })
  })

  test("knows no step of another number, and no context of a step without a model call", function*() {
    const { context, find } = yield* steps
    const id = yield* givenWork
    for (const seq of ["6", "0", "-1", "x", "99999999999"]) {
      assert.strictEqual((yield* Effect.flip(find(id, seq)))._tag, "StepNotFound")
    }
    assert.strictEqual((yield* Effect.flip(context(id, "3")))._tag, "StepNotFound")
  })

  test("shows other members kinds, times and costs, and no text", function*() {
    yield* ensureRequestRole()
    const { context, export: exported, find, list } = yield* steps
    const id = yield* givenWork
    const outline = yield* asked(memberBob)(list(id, {}))
    assert.deepStrictEqual(outline.items.map(({ kind }) => kind), ["model", "compacted", "results", "model", "woken"])
    assert.deepInclude(outline.items[3], { input_tokens: 10, cost: 0.25, calls: [], text: null })
    assert.notInclude(JSON.stringify([outline, yield* asked(memberBob)(find(id, "3"))]), "mangrove")
    assert.strictEqual((yield* Effect.flip(asked(memberBob)(context(id, "2"))))._tag, "NotAllowed")
    assert.strictEqual((yield* Effect.flip(asked(memberBob)(exported(id))))._tag, "NotAllowed")
    assert.include(JSON.stringify(yield* asked(memberAlice)(list(id, {}))), "mangrove")
  })

  test("exports the task and all its steps, oldest first", function*() {
    yield* ensureRequestRole()
    const { export: exported } = yield* steps
    const id = yield* givenWork
    const lines = Chunk.toReadonlyArray(
      yield* requireCaller(Stream.runCollect(yield* asked(memberAlice)(exported(id))))
    )
    assert.strictEqual("task" in (lines[0] ?? {}) ? id : null, id)
    assert.deepStrictEqual(lines.flatMap((line) => "step" in line ? [line.step.seq] : []), [1, 2, 3, 4, 5])
    assert.include(JSON.stringify(lines[3]), long.trim())
  })
})
