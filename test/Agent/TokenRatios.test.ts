import { assert, describe, it } from "@effect/vitest"
import { replay } from "@troupe/domain/Replay"
import { emptyRun, type Run } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { Effect, FastCheck as fc, TestClock } from "effect"
import { loadTokenizer } from "../../src/Agent/TokenEstimate.ts"
import { calibrated, makeTokenRatios } from "../../src/Agent/TokenRatios.ts"
import { runsOf } from "../support/PropertyRuns.ts"
import { scriptedModel } from "../support/ScriptedModel.ts"
import { cases, holds } from "./budgets.ts"

const unknown = { first: null, text: null }

/** A call whose input was estimated and counted so. */
const called = (estimate: number | undefined, input: number): Step => ({
  kind: "model",
  message: { role: "assistant", content: "Yes", tool_calls: [] },
  tokens: [input, 5],
  millis: 1,
  ...(estimate === undefined ? {} : { estimate })
})

const after = (...calls: ReadonlyArray<readonly [estimate: number | undefined, input: number]>): Run =>
  replay(emptyRun("Go"), calls.map((call) => called(...call)))

describe("An estimate of tokens", () => {
  it("is the tokenizer's before the first call of a model that nobody has called", () => {
    const { ofInput, ofText } = calibrated(after(), unknown)
    assert.deepStrictEqual([ofInput(1_000), ofText(1_000)], [1_000, 1_000])
  })

  it("is corrected by what the last call has cost, of an input by the difference to it", () => {
    const { ofInput, ofText } = calibrated(after([1_000, 3_150]), unknown)
    assert.deepStrictEqual([ofText(1_000), ofInput(1_000), ofInput(1_400)], [3_150, 3_150, 4_410])
  })

  it("is corrected by what was added, where that is counted otherwise than prompt and tools", () => {
    const { ofInput, ofText } = calibrated(after([2_000, 2_000], [3_000, 5_000]), unknown)
    assert.deepStrictEqual([ofText(100), ofInput(3_500)], [300, 6_500])
  })

  it("follows what was added last, and ignores what is too short to tell", () => {
    const { ofText } = calibrated(after([1_000, 1_000], [5_000, 5_000], [9_000, 17_000]), unknown)
    assert.isAbove(ofText(1_000), 2_300)
    assert.strictEqual(calibrated(after([1_000, 1_000], [1_010, 1_110]), unknown).ofText(100), 110)
  })

  it("is never less than the tokenizer's, or more than a sane number of times that", () => {
    assert.strictEqual(calibrated(after([1_000, 500]), unknown).ofText(100), 100)
    assert.strictEqual(calibrated(after([1_000, 90_000]), unknown).ofText(100), 400)
    assert.strictEqual(calibrated(after([1_000, 1_000], [2_000, 90_000]), unknown).ofText(100), 800)
    assert.strictEqual(calibrated(after(), { first: 50, text: 50 }).ofInput(100), 400)
  })

  it("of a smaller input, as after a summary, is not below what the last one leaves", () => {
    const run = after([2_000, 2_000], [10_000, 26_000])
    assert.isAtLeast(calibrated(run, unknown).ofInput(4_000), 8_000)
  })

  it("is that of other tasks before the first call of one", () => {
    const { ofInput, ofText } = calibrated(after(), { first: 1.5, text: 3 })
    assert.deepStrictEqual([ofInput(1_000), ofText(1_000)], [1_500, 3_000])
    assert.strictEqual(calibrated(after([1_000, 1_500]), { first: 1.5, text: 3 }).ofInput(2_000), 4_500)
  })

  it("is the same after a crash, as the calls are in the journal, also those of earlier versions", () => {
    const steps = [called(1_000, 1_500), called(undefined, 1_600), called(3_000, 5_000), called(4_000, 8_000)]
    const whole = replay(emptyRun("Go"), steps)
    const resumed = replay(emptyRun("Go"), JSON.parse(JSON.stringify(steps)))
    assert.deepStrictEqual([resumed.growth, resumed.lastCall], [whole.growth, whole.lastCall])
    assert.deepStrictEqual(whole.growth, { input: 3_000, estimate: 1_000 })
  })
})

describe("What a process remembers of a model", () => {
  const { model } = scriptedModel()

  it.effect("is the lowest of its last three figures, for an hour", () =>
    Effect.gen(function*() {
      const ratios = makeTokenRatios()
      assert.deepStrictEqual(yield* ratios.of(model), unknown)
      for (const input of [1_000, 9_000, 3_000, 4_000]) yield* ratios.learn(model, after(), input, 1_000)
      yield* ratios.learn(model, after([1_000, 3_000]), 6_000, 2_000)
      assert.deepStrictEqual(yield* ratios.of(model), { first: 3, text: 3 })
      assert.deepStrictEqual(yield* ratios.of({ ...model, model: "another" }), unknown)
      yield* TestClock.adjust("61 minutes")
      assert.deepStrictEqual(yield* ratios.of(model), unknown)
    }))
})

describe("A token budget with a provider that counts several tokens for one of the tokenizer", () => {
  const factor = fc.double({ min: 0.98, max: 1.02, noNaN: true })
  const keepsTo = (isKnown: boolean) =>
    Effect.gen(function*() {
      const tokenizer = yield* loadTokenizer
      const check = fc.asyncProperty(
        cases,
        fc.constantFrom(1.2, 1.5, 2, 3, 3.15, 3.8),
        factor,
        factor,
        (given, times, textFactor, toolsFactor) =>
          Effect.runPromise(holds(tokenizer, { ...given, textFactor, toolsFactor }, { times, isKnown }))
      )
      yield* Effect.promise(() => fc.assert(check, { numRuns: runsOf(30) }))
    })

  it.effect(
    "is not exceeded by more than the error of an estimate, by no task after the first of its model",
    () => keepsTo(true),
    120_000
  )

  it.effect(
    "is exceeded by the first of them by no more than what its first calls cost unforeseen",
    () => keepsTo(false),
    120_000
  )
})
