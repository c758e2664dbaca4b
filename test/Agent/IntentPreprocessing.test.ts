import { assert, describe, it } from "@effect/vitest"
import { SkillName } from "@troupe/domain/Skill"
import type { Prepared } from "@troupe/domain/Step"
import { logsOf } from "@troupe/domain/TaskLog"
import { Duration, Effect, TestClock } from "effect"
import { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import { workStepsOf } from "../../src/Agent/WorkSteps.ts"
import type { ToolDefinition } from "../../src/Model/Model.ts"
import { offlineModel } from "../../src/Model/Offline.ts"
import { offlineEmbeddings } from "../../src/Model/OfflineEmbeddings.ts"
import { makePlace } from "../Skill/place.ts"
import { says, scriptedModel } from "../support/ScriptedModel.ts"
import { settle } from "./loop.ts"
import { bound, creator, givenSkills, input, intents, preparing, stepsAnswer, type } from "./preparing.ts"

const prepare = (tools: ReadonlyArray<ToolDefinition> = [], request = input) =>
  Effect.flatMap(
    IntentPreprocessing,
    (preprocessing) =>
      preprocessing.prepare(
        { input: request, type, creator, tokenBudget: null },
        tools,
        Effect.succeed(true),
        offlineModel
      )
  )

describe("The preparation", () => {
  it.scoped("times out, and pauses calls to a failing provider", () =>
    Effect.gen(function*() {
      const place = yield* givenSkills
      const { embedded, layer } = preparing(place, { embed: () => Effect.never })
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.fork(prepare())
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual((yield* fiber)?.skills.map(({ name }): string => name), ["bread"])
        const asked = embedded.length
        yield* prepare([], "Another sourdough")
        assert.lengthOf(embedded, asked)
      }).pipe(Effect.provide(layer))
    }))

  it.scoped("keeps work steps, skills and memories when matching tools hangs", () =>
    Effect.gen(function*() {
      for (const options of [intents, { ...intents, stepTimeout: Duration.seconds(20) }]) {
        const { layer } = preparing(yield* givenSkills, {
          model: scriptedModel(says(stepsAnswer)).model,
          embed: (texts) =>
            texts.some((text) => text.includes("list issues\n")) ? Effect.never : offlineEmbeddings.embed(texts),
          options
        })
        yield* Effect.gen(function*() {
          const fiber = yield* Effect.fork(prepare(bound))
          // Skills are read from the disk, in real time: the clock must not run ahead of that.
          yield* settle(() => fiber.unsafePoll() !== null, TestClock.adjust("50 millis"))
          const prepared = yield* fiber
          assert.deepInclude(prepared, { tokens: [10, 5] })
          assert.lengthOf(prepared?.steps ?? [], 3)
          assert.isUndefined(prepared?.tools)
          assert.deepStrictEqual(prepared?.skills.map(({ name }): string => name), ["bread"])
        }).pipe(Effect.provide(layer))
      }
    }))

  it.scoped("keeps work steps when memories and skills hang", () =>
    Effect.gen(function*() {
      const { layer } = preparing(yield* givenSkills, {
        model: scriptedModel(says(stepsAnswer)).model,
        recall: () => Effect.never,
        embed: () => Effect.never,
        options: { ...intents, stepTimeout: Duration.seconds(20) }
      })
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.fork(prepare(bound))
        yield* TestClock.adjust("10 seconds")
        assert.deepInclude(yield* fiber, {
          tokens: [10, 5],
          memoriesLeftOut: "Searching them failed or took too long."
        })
      }).pipe(Effect.provide(layer))
    }))

  it.scoped("times out with memories alone too, where the step time-out is short", () =>
    Effect.gen(function*() {
      const hurried = { maxSkills: 0, stepTimeout: Duration.seconds(2) }
      const { layer } = preparing(yield* makePlace(), { recall: () => Effect.never, options: hurried })
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.fork(prepare())
        yield* TestClock.adjust("1 seconds")
        assert.deepInclude(yield* fiber, { memoriesLeftOut: "Searching them failed or took too long." })
      }).pipe(Effect.provide(layer))
    }))
})

describe("What was prepared", () => {
  const prepared: Prepared = {
    kind: "prepared",
    skills: [{ name: SkillName.make("bread"), score: 0.7 }],
    lacking: [{ name: SkillName.make("cake"), missing: ["oven"] }],
    memoriesLeftOut: "Searching them took longer than 3 seconds.",
    steps: ["One", "Two", "Three"],
    tools: ["read_file"],
    tokens: [7, 3],
    millis: 5
  }

  it("is shown in the task's log, under the event skill", () => {
    const lines = logsOf({ seq: 2, at: "2026-01-01T00:00:00.000Z", step: prepared })
    assert.deepStrictEqual(lines.map(({ event, level, message }) => [level, event, message]), [
      ["info", "skill", "Matched skills: bread"],
      ["warning", "skill", "Skill cake matches but is left out, because this machine lacks oven"],
      ["warning", "skill", "The task began without the user's memories: Searching them took longer than 3 seconds."],
      ["info", "skill", "Found 3 work steps"]
    ])
  })

  it("takes three to five steps from an answer, in any numbering", () => {
    assert.deepStrictEqual(workStepsOf("Sure:\n1. a\n 2) b\n\n* c\n- d\n5. e\n6. f"), ["a", "b", "c", "d", "e"])
    assert.strictEqual(workStepsOf("1. a\n2. b"), null)
    assert.strictEqual(workStepsOf("no list"), null)
  })
})
