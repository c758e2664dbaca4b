import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { runLoop, tool } from "./loop.ts"

const rounds = 60
const look = tool("look", "read", Effect.succeed("lorem ipsum ".repeat(40)))

/** The summaries among the calls of a task of 60 rounds. */
const summariesWith = (minTokens: number, compactionMinTokens: number | null = null) =>
  Effect.map(
    runLoop({
      tools: [look],
      task: { limits: { soft: 500, hard: 500, recursion: 2_000 }, compactionMinTokens },
      settings: { compaction: { threshold: 12, maxRecent: 8, contextTokens: 1_000_000, minTokens } },
      ...scripted()
    }),
    ({ journal }) => journal.filter(({ kind }) => kind === "compacted").length
  )

const scripted = (): Pick<Parameters<typeof runLoop>[0], "turns"> => {
  let left = rounds
  const turn: Parameters<typeof runLoop>[0]["turns"][number] = (request) =>
    request.summarises !== undefined
      ? says("So far: nothing.")(request)
      : left-- > 1
      ? asks(call(`c${left}`, "look"))(request)
      : says("Done.")(request)
  return { turns: Array.from({ length: 3 * rounds }, () => turn) }
}

describe("COMPACTION_MIN_TOKENS", () => {
  it.effect("leaves a conversation alone until it is also that long", () =>
    Effect.gen(function*() {
      const [always, long, never] = yield* Effect.all([summariesWith(0), summariesWith(4_000), summariesWith(100_000)])
      assert.deepStrictEqual([always, long, never], [27, 2, 0])
    }))

  it.effect("is replaced by that of the task's agent", () =>
    Effect.map(summariesWith(0, 100_000), (summaries) => assert.strictEqual(summaries, 0)))
})
