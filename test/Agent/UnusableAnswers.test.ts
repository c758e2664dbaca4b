import { assert, describe, it } from "@effect/vitest"
import { parentLimits } from "@troupe/domain/Limits"
import type { Message } from "@troupe/domain/Message"
import type { Step } from "@troupe/domain/Step"
import { logsOf } from "@troupe/domain/TaskLog"
import { announcedResultOf, outcomeOf } from "@troupe/domain/TaskOutcome"
import { Effect } from "effect"
import type { ModelRequest } from "../../src/Model/Model.ts"
import { asks, asksSaying, call, costing, says, type Turn } from "../support/ScriptedModel.ts"
import { answered, kinds, type LoopOptions, makeLoop, runLoop } from "./loop.ts"

const markup = "<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"text\": \"a\"}}\n</tool_call>"

const echoing = (id: string) => call(id, "echo", { text: "found it" })

const rolesOf = ({ messages }: ModelRequest) => messages.map(({ role }) => role)

const lastText = ({ messages }: ModelRequest) => messages.at(-1)?.content ?? ""

const endOf = (journal: ReadonlyArray<Step>) => {
  const last = journal.at(-1)
  return last?.kind === "failed"
    ? ["failed", last.error]
    : last?.kind === "model"
    ? [last.end, last.output ?? last.message.content]
    : []
}

const contents = (messages: ReadonlyArray<Message>) => messages.map(({ content }) => content)

const run = (turns: ReadonlyArray<Turn>, more: Omit<LoopOptions, "turns"> = {}) => runLoop({ turns, ...more })

describe("A tool call that is written as text", () => {
  it.effect("is asked for once more with a hint, and never run", () =>
    Effect.gen(function*() {
      const { journal, scripted, state } = yield* run([says(markup), asks(echoing("1")), says("Found.")])
      assert.deepStrictEqual(kinds(journal), ["model", "model", "results", "model"])
      assert.deepStrictEqual(answered(journal).map(([id]) => id), ["1"])
      assert.deepStrictEqual(endOf(journal), ["answered", "Found."])
      const [, second, third] = scripted.requests
      if (second === undefined || third === undefined) return assert.fail("three calls expected")
      assert.deepStrictEqual(rolesOf(second), ["user", "assistant", "user"])
      assert.include(lastText(second), "Call a tool only by the tool calls of the API")
      assert.deepStrictEqual(rolesOf(third), ["user", "assistant", "tool"])
      assert.notInclude(contents(state().messages).join(), "<tool_call>")
    }))

  it.effect("fails the task the second time, with an error that says so", () =>
    Effect.gen(function*() {
      const { journal, outcomes, scripted, state } = yield* run([says(markup), says(`Once more.\n${markup}`)])
      assert.deepStrictEqual(kinds(journal), ["model", "failed"])
      assert.match(
        endOf(journal)[1] ?? "",
        /^The model called echo in the text of its answer, .* Such calls are never run/
      )
      assert.strictEqual(outcomes.at(-1)?.event?._tag, "Failed")
      assert.lengthOf(scripted.requests, 2)
      assert.deepStrictEqual([state().inputTokens, state().modelCalls], [20, 2])
    }))

  it.effect("is asked for again each time that other steps came between, and after a retry", () =>
    Effect.gen(function*() {
      const between = yield* run([says(markup), asks(echoing("1")), says(markup), says("Found.")])
      assert.deepStrictEqual(endOf(between.journal), ["answered", "Found."])
      const { journal } = yield* run([says(markup), says(markup)])
      const retried = yield* run([says(markup), says("Found.")], { journal: [...journal, { kind: "retried" }] })
      assert.deepStrictEqual(endOf(retried.journal), ["answered", "Found."])
    }))

  it.effect("is asked for once, also where the process dies in between", () =>
    Effect.gen(function*() {
      const { journal } = yield* run([says(markup), says(markup)])
      const resumed = yield* run([says(markup)], { journal: journal.slice(0, 1) })
      assert.lengthOf(resumed.scripted.requests, 1)
      assert.include(resumed.scripted.requests.map(lastText).join(), "which was not run")
      assert.deepStrictEqual(kinds(resumed.journal), ["model", "failed"])
    }))

  it.effect("is forgotten once a person writes to the task", () =>
    Effect.gen(function*() {
      const { journal } = yield* run([says(markup), says(markup)])
      const steered = makeLoop({
        turns: [says(markup), says("Found.")],
        journal: [...journal.slice(0, 1), { kind: "steered", messages: [{ text: "Hurry.", by: "alice" }] }]
      })
      yield* steered.run
      const [first] = steered.scripted.requests
      assert.deepStrictEqual(contents(first?.messages ?? []), ["Find the answer", "Hurry."])
      assert.deepStrictEqual(endOf(steered.journal), ["answered", "Found."])
    }))

  it.effect("is no result at the last iteration, nor in the last call that the budget allows", () =>
    Effect.gen(function*() {
      const limits = { ...parentLimits, soft: 1, hard: 2 }
      const last = yield* run([asksSaying("So far: 41.", echoing("1")), says(markup)], { task: { limits } })
      assert.deepStrictEqual(endOf(last.journal), ["forced", "So far: 41."])
      assert.deepInclude(last.journal.at(-1), {
        note:
          "The limit of 2 model calls was reached, and the last answer was a tool call written as text, which is not run."
      })
      const closing = yield* run([costing(6_000, asks(echoing("1"))), costing(1_000, says(markup))], {
        task: { tokenBudget: 10_000 }
      })
      assert.match(endOf(closing.journal)[1] ?? "", /^The task ended at a limit .*\n\n.*\n- echo: echo found it$/s)
    }))

  it.effect("is a warning in the log", () =>
    Effect.gen(function*() {
      const { journal } = yield* run([says(markup), says("Found.")])
      const [first] = journal.slice(0, 1).flatMap((step) => logsOf({ seq: 1, at: "", step }))
      assert.deepInclude(first, {
        level: "warning",
        message: "The model wrote a tool call as text, which is not run; it is asked once more"
      })
    }))

  it.effect("is an answer where it stands in a code block", () =>
    Effect.gen(function*() {
      const text = `This is how Qwen writes it:\n\n\`\`\`\n${markup}\n\`\`\``
      const { journal } = yield* run([says(text)])
      assert.deepStrictEqual(endOf(journal), ["answered", text])
    }))
})

describe("An empty answer", () => {
  it.effect("after tools is asked for once more", () =>
    Effect.gen(function*() {
      for (const nothing of ["", " \n\t"]) {
        const { journal, scripted } = yield* run([asks(echoing("1")), says(nothing), says("Found.")])
        assert.deepStrictEqual(endOf(journal), ["answered", "Found."])
        const last = scripted.requests.at(-1)
        if (last === undefined) return assert.fail("a call expected")
        assert.deepStrictEqual(rolesOf(last), ["user", "assistant", "tool", "user"])
        assert.include(lastText(last), "Your last message was empty.")
      }
    }))

  it.effect("after tools twice is a plain end that says it, and no outcome to remember", () =>
    Effect.gen(function*() {
      const { journal, outcomes, scripted } = yield* run([
        asksSaying("I look it up.", echoing("1")),
        says(""),
        says("")
      ])
      assert.lengthOf(scripted.requests, 3)
      const report = [
        "The task ended without an answer of the agent. The model answered with nothing, also when it was asked once more.",
        "",
        "Tool calls and the first line of each result:",
        "- echo: echo found it",
        "",
        "The agent's last text:",
        "",
        "I look it up."
      ].join("\n")
      assert.deepStrictEqual(endOf(journal), ["forced", report])
      assert.deepStrictEqual(outcomes.at(-1)?.event, { _tag: "Completed" })
      const last = journal.at(-1)
      if (last === undefined) return assert.fail("a step expected")
      assert.match(announcedResultOf(last) ?? "", /^Cut short: The model answered with nothing/)
      assert.isNull(outcomeOf(last))
    }))

  it.effect("without any tool call fails the task the second time", () =>
    Effect.gen(function*() {
      const { journal } = yield* run([says(""), says(" ")])
      assert.deepStrictEqual(endOf(journal), [
        "failed",
        "The model answered with nothing, also when it was asked once more."
      ])
      const once = yield* run([says(""), says("Found.")])
      assert.deepStrictEqual(endOf(once.journal), ["answered", "Found."])
    }))

  it.effect("is not asked for again beyond the iteration limit", () =>
    Effect.gen(function*() {
      const limits = { ...parentLimits, soft: 1, hard: 2 }
      const { journal, scripted } = yield* run([asks(echoing("1")), says("")], { task: { limits } })
      assert.lengthOf(scripted.requests, 2)
      assert.match(
        endOf(journal)[1] ?? "",
        /^The task ended at a limit .* The limit of 2 model calls was reached, and the last answer was empty\./
      )
    }))
})

describe("An answer that a content filter cut off", () => {
  it.effect("says so at its end", () =>
    Effect.gen(function*() {
      const filtered: Turn = (request) =>
        Effect.map(says("Half of it")(request), (response) => ({ ...response, cut: "Filtered.", isFiltered: true }))
      const { journal } = yield* run([filtered])
      assert.deepStrictEqual(endOf(journal), [
        "answered",
        "Half of it\n\n[The answer was cut off here by the content filter of the model's provider.]"
      ])
    }))
})
