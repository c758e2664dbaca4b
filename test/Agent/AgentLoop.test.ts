import { assert, describe, it } from "@effect/vitest"
import { parentLimits, subagentLimits } from "@troupe/domain/Limits"
import type { Step } from "@troupe/domain/Step"
import { outputsOf } from "@troupe/domain/TaskOutcome"
import { Effect, TestClock } from "effect"
import { ModelRejected, ModelUnavailable } from "../../src/Model/Model.ts"
import { attachFile } from "../../src/Tool/FileTools.ts"
import { alice, inSandbox } from "../File/place.ts"
import { withinTeam } from "../support/FakeTool.ts"
import { asks, asksSaying, call, costing, dies, fails, says, type Turn } from "../support/ScriptedModel.ts"
import { kinds, makeLoop, resultsIn, runLoop } from "./loop.ts"

const askEcho = (turn: number): Turn => asks(call(`call${turn}`, "echo", { text: `${turn}` }))
const askEchoes = (turns: number): ReadonlyArray<Turn> => Array.from({ length: turns }, (_, turn) => askEcho(turn))

describe("AgentLoop", () => {
  it.effect("alternates model and tools, and ends with the model's text", () =>
    Effect.gen(function*() {
      const { journal, outcomes, scripted } = yield* runLoop({ turns: [askEcho(1), says("It is 42.")] })
      assert.deepStrictEqual(kinds(journal), ["model", "results", "model"])
      assert.deepStrictEqual(scripted.requests.map((request) => request.messages.map((message) => message.role)), [
        ["user"],
        ["user", "assistant", "tool"]
      ])
      assert.deepStrictEqual(resultsIn(scripted.requests[1]?.messages ?? []), [["call1", "echo 1"]])
      assert.deepStrictEqual(outcomes.map(({ event }) => event?._tag ?? null), [null, null, "Completed"])
      assert.deepStrictEqual(endOf(journal), ["answered", "It is 42."])
    }))

  it.effect("binds every tool of the toolbox to each call, as one and the same set", () =>
    Effect.gen(function*() {
      const { scripted } = yield* runLoop({ turns: askEchoes(1) })
      const [first, second] = scripted.requests
      assert.deepStrictEqual(first?.tools.tools.map(({ name }) => name), ["echo"])
      assert.strictEqual(first?.tools, second?.tools)
    }))

  it.effect("journals each step before the next begins", () =>
    Effect.gen(function*() {
      const seen: Array<ReadonlyArray<string>> = []
      const look = (turn: Turn): Turn => (request) => {
        seen.push(kinds(loop.journal))
        return turn(request)
      }
      const loop = makeLoop({ turns: [look(askEcho(1)), look(says("Done"))] })
      yield* loop.run
      assert.deepStrictEqual(seen, [[], ["model", "results"]])
    }))

  describe.each([["parent", parentLimits], ["subagent", subagentLimits]] as const)("for a %s", (_, limits) => {
    it.effect("ends at the hard limit with the last text of substance, and leaves the last calls unrun", () =>
      Effect.gen(function*() {
        const { journal, outcomes, scripted } = yield* runLoop({
          turns: [
            askEcho(0),
            asksSaying("So far: 41.", call("said", "echo", { text: "!" })),
            ...askEchoes(limits.hard + 5).slice(2)
          ],
          task: { limits }
        })
        assert.strictEqual(scripted.requests.length, limits.hard)
        assert.strictEqual(journal.filter((step) => step.kind === "results").length, limits.hard - 1)
        assert.deepStrictEqual(endOf(journal), ["forced", "So far: 41."])
        assert.deepStrictEqual(outcomes.at(-1)?.event, { _tag: "Completed" })
      }))

    it.effect("warns to wrap up exactly from the soft limit on, with the count", () =>
      Effect.gen(function*() {
        const { scripted } = yield* runLoop({ turns: askEchoes(limits.hard), task: { limits } })
        const systems = scripted.requests.map(({ system }) => system)
        assert.deepStrictEqual(
          systems.map((system) => system.includes("Wrap up now")),
          Array.from({ length: limits.hard }, (_, iterations) => iterations >= limits.soft)
        )
        assert.include(systems.at(-1), `Wrap up now: ${limits.hard - 1} of ${limits.hard} iterations are used.`)
      }))
  })

  it.effect("prefers the text of the last turn itself when the hard limit ends the task", () =>
    Effect.gen(function*() {
      const { journal } = yield* runLoop({
        turns: [
          asksSaying("Early.", call("1", "echo", { text: "" })),
          asksSaying("Late.", call("2", "echo", { text: "" }))
        ],
        task: { limits: { soft: 1, hard: 2, recursion: 25 } }
      })
      assert.deepStrictEqual(endOf(journal), ["forced", "Late."])
    }))

  it.effect("completes at once when it resumes beyond the hard limit", () =>
    Effect.gen(function*() {
      const limits = { soft: 1, hard: 2, recursion: 25 }
      const { journal } = yield* runLoop({
        turns: [asksSaying("Some.", call("1", "echo", { text: "" })), askEcho(2)],
        task: { limits: { ...limits, hard: 3 } },
        dependencies: { mayContinue: stopAfter(5) }
      })
      const again = yield* runLoop({ turns: [], task: { limits }, journal })
      assert.deepStrictEqual(kinds(again.journal), ["model", "results", "model", "results", "forced"])
      assert.deepStrictEqual(endOf(again.journal), ["forced", "Some."])
      assert.include(again.journal.at(-1), { reason: "The limit of 2 model calls was reached." })
      assert.isEmpty(again.scripted.requests)
    }))

  it.effect("fails with a plain reason at the recursion limit", () =>
    Effect.gen(function*() {
      for (const [recursion, calls] of [[4, 2], [5, 3]] as const) {
        const { journal, outcomes, scripted } = yield* runLoop({
          turns: askEchoes(9),
          task: { limits: { soft: 8, hard: 10, recursion } }
        })
        assert.strictEqual(scripted.requests.length, calls)
        const error = `The recursion limit of ${recursion} steps was reached. Retry the task to continue, or split it.`
        assert.deepStrictEqual(journal.at(-1), { kind: "failed", error })
        assert.deepStrictEqual(outcomes.at(-1)?.event, { _tag: "Failed", error })
      }
    }))

  it.effect("neither limits nor warns of the tokens of a task without a budget, and journals what a call cost", () =>
    Effect.gen(function*() {
      const slowly: Turn = (request) => Effect.zipRight(TestClock.adjust("1500 millis"), says("Done")(request))
      const { journal, scripted } = yield* runLoop({ turns: [costing(100_000_000, askEcho(1)), slowly] })
      assert.isFalse(scripted.requests.some((request) => "maxOutputTokens" in request))
      assert.isFalse(scripted.requests.some(({ system }) => system.includes("Wrap up now")))
      assert.deepInclude(journal.at(-1), { end: "answered", tokens: [10, 5], millis: 1_500 })
    }))

  it.effect("fails with the provider's reason when the model is unavailable", () =>
    Effect.gen(function*() {
      for (
        const error of [
          new ModelUnavailable({ provider: "local", reason: "The model server did not answer." }),
          new ModelRejected({ provider: "openai", status: 401, reason: "The key is not valid; set OPENAI_API_KEY." })
        ]
      ) {
        const { journal, outcomes } = yield* runLoop({ turns: [askEcho(1), fails(error)] })
        assert.deepStrictEqual(kinds(journal), ["model", "results", "failed"])
        assert.deepStrictEqual(outcomes.at(-1)?.event, { _tag: "Failed", error: error.reason })
      }
    }))

  it.effect("passes a defect on to its supervisor and records nothing of the step", () =>
    Effect.gen(function*() {
      const loop = makeLoop({ turns: [askEcho(1), dies("bug")] })
      const exit = yield* Effect.exit(loop.run)
      assert.deepInclude(exit, { _tag: "Failure" })
      assert.deepStrictEqual(kinds(loop.journal), ["model", "results"])
    }))

  it.effect("takes no further step once it may not continue", () =>
    Effect.gen(function*() {
      for (const steps of [0, 1, 2, 3]) {
        const { journal, scripted } = yield* runLoop({
          turns: askEchoes(5),
          // Not prepared, so that every look is for a step.
          task: { type: "subtask" },
          dependencies: { mayContinue: stopAfter(steps) }
        })
        assert.strictEqual(journal.length, steps)
        assert.strictEqual(scripted.requests.length, Math.ceil(steps / 2))
      }
    }))

  it.effect("resumes from any prefix of the journal with the same result, without repeating a model call", () =>
    Effect.gen(function*() {
      const turns = [askEcho(0), asks(call("a", "echo", { text: "a" }), call("b", "echo", { text: "b" })), says("End.")]
      const whole = yield* runLoop({ turns })
      for (let length = 0; length < whole.journal.length; length++) {
        const journal = whole.journal.slice(0, length)
        const asked = journal.filter((step) => step.kind === "model").length
        const rest = yield* runLoop({ turns: turns.slice(asked), journal })
        assert.deepStrictEqual(rest.journal, whole.journal)
      }
    }))

  it.effect("streams text exactly while somebody watches", () =>
    Effect.gen(function*() {
      const deltas: Array<string> = []
      let watching = false
      const speak = (text: string, watchers: boolean): Turn => (request) =>
        Effect.suspend(() => {
          watching = watchers
          return request.onText?.(text) ?? Effect.void
        }).pipe(Effect.zipRight(asks(call(text, "echo", { text }))(request)))
      const { scripted } = yield* runLoop({
        turns: [speak("nobody came yet", true), speak("heard", false), says("nobody is there any more")],
        dependencies: { onText: () => watching ? (delta) => Effect.sync(() => void deltas.push(delta)) : undefined }
      })
      assert.deepStrictEqual(deltas, ["heard"])
      assert.deepStrictEqual(scripted.requests.map((request) => "onText" in request), [false, true, false])
    }))

  it.live("lists attached files as outputs with their sizes, also one that was deleted", () =>
    inSandbox({}, ({ sandbox }) =>
      Effect.gen(function*() {
        yield* sandbox.write(alice, "report.md", "12345")
        const attach = asks(
          call("1", "attach_file", { path: "report.md" }),
          call("2", "attach_file", { path: "none.md" })
        )
        const there = yield* runLoop({
          turns: [attach, says("See the report.")],
          tools: [attachFile(sandbox, withinTeam)],
          sandbox
        })
        assert.deepInclude(there.journal.at(-1), { files: [{ filename: "report.md", size: 5 }] })

        const gone = yield* runLoop({
          turns: [says("See the report.")],
          journal: [...there.journal.slice(0, -2), {
            kind: "results",
            results: [],
            attach: ["report.md", "gone.md"]
          }, ...there.journal.slice(1, 2)],
          sandbox
        })
        assert.deepInclude(gone.journal.at(-1), {
          files: [{ filename: "report.md", size: 5 }, { filename: "gone.md", size: null }]
        })
      })))
})

/** How the journal's last step ended the task, and with which text. */
const endOf = (journal: ReadonlyArray<Step>) => {
  const step = journal.at(-1)
  if (step === undefined) return []
  const [output] = outputsOf({ seq: 1, at: "", step })
  return [step.kind === "model" ? step.end : step.kind, output?.content]
}

/** True for so many questions, false from then on. */
const stopAfter = (steps: number): () => boolean => {
  let left = steps
  return () => left-- > 0
}
