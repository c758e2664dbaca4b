import { assert, describe, it } from "@effect/vitest"
import { emptyRun } from "@troupe/domain/Run"
import { Effect } from "effect"
import { promptTime } from "../../src/Agent/PromptContext.ts"
import { makePromptRecord } from "../../src/Agent/PromptRecord.ts"
import type { Call } from "../../src/Agent/TokenBudget.ts"
import { noTools } from "../../src/Model/Model.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import { contextAt } from "../support/PromptContexts.ts"
import { echo, settings, skill, task, tool } from "./loop.ts"

const toolbox = makeToolbox([echo, tool("look", "read", Effect.succeed("A tree"))])
const source = { settings, task, skills: [], context: contextAt(promptTime(0, null)), toolbox }
const run = emptyRun("Find it")

const callWith = (tools: Call["tools"], more: Partial<Call> = {}): Call => ({
  _tag: "Call",
  system: "",
  tools,
  budget: null,
  noted: {},
  transcript: null,
  maySummarise: () => true,
  ...more
})

const makeRecord = (isAvailable = true) => {
  const texts: Array<string> = []
  const state = { isAvailable }
  const record = makePromptRecord({
    numberOf: (text) => texts.includes(text) ? texts.indexOf(text) : undefined,
    store: () => Effect.void,
    keep: () => Effect.succeed(1),
    textOf: () => Effect.succeed("")
  })
  const kept = (...given: Parameters<typeof record>) => {
    const { kept, unknown } = record(...given)
    if (state.isAvailable) texts.push(...unknown)
    return kept()
  }
  return { kept, state, texts }
}

describe("PromptRecord", () => {
  it("keeps the prompt of the first call of a run, and of a later one whose tools or skills are others", () => {
    const { kept, texts } = makeRecord()
    const all = callWith(toolbox.toolSet())
    const first = kept(source, run, all)
    assert.deepStrictEqual(first, { prompt: { text: 0, at: 0, tools: 1 } })
    assert.deepStrictEqual(kept(source, run, all), {})
    assert.deepStrictEqual(kept(source, run, callWith(toolbox.toolSet(["look"]))), {
      prompt: { text: 0, at: 0, tools: 1, only: ["look"] }
    })
    const skilled = { ...source, skills: [skill] }
    assert.deepStrictEqual(kept(skilled, run, all), { prompt: { text: 2, at: 0, skills: [3], tools: 1 } })
    assert.deepStrictEqual(kept(skilled, run, callWith(noTools, { transcript: "All of it" })), {
      prompt: { text: 2, at: 0, skills: [3], tools: 4 },
      transcript: "All of it"
    })
    assert.strictEqual(texts[4], "[]")
  })

  it("notes that a prompt could not be kept only where the step would pass for one with the prompt before", () => {
    const { kept, state } = makeRecord(false)
    const all = callWith(toolbox.toolSet())
    assert.deepStrictEqual(kept(source, run, all), {})
    state.isAvailable = true
    assert.deepStrictEqual(kept(source, run, all), { prompt: { text: 0, at: 0, tools: 1 } })
    state.isAvailable = false
    const changed = { ...source, skills: [skill] }
    assert.deepStrictEqual(kept(changed, run, all), { prompt: null })
    state.isAvailable = true
    assert.deepStrictEqual(kept(changed, run, all), { prompt: { text: 2, at: 0, skills: [3], tools: 1 } })
  })
})
