import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { serverToolsOf } from "../../src/ToolServer/ServerTool.ts"
import { openSession } from "../../src/ToolServer/ToolSession.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { options, program } from "../support/ToolServerFixture.ts"

const tools = serverToolsOf("test", [{ name: "count" }]).tools

/** How often the server was started by three calls at once and one after them, and what they came to. */
const called = (mode: string, connectTimeout: Duration.DurationInput) =>
  Effect.gen(function*() {
    const starts = join(yield* freshFolder, "starts")
    const server = program(["test/support/toolServer.mjs", mode], { STARTS: starts })
    const session = yield* openSession(() => server, {
      ...options,
      connectTimeout: Duration.decode(connectTimeout),
      callTimeout: Duration.seconds(20),
      callLimit: Duration.seconds(20)
    })
    const calls = Effect.forEach(tools, (tool) => Effect.either(session.call(tool, {})))
    const answers = yield* Effect.all([calls, calls, calls], { concurrency: "unbounded" })
    const later = yield* calls
    const text = yield* Effect.promise(() => readFile(starts, "utf8"))
    return { starts: text.trim().split("\n").length, answers: [...answers.flat(), ...later] }
  })

describe("A session with tool servers", () => {
  it.scopedLive("connects once for all calls to a server that does not start, and each gets the reason", () =>
    Effect.gen(function*() {
      const { answers, starts } = yield* called("hang-at-start", "500 millis")
      assert.strictEqual(starts, 1)
      assert.strictEqual(answers.length, 4)
      for (const answer of answers) {
        assert.include(answer._tag === "Left" ? answer.left.reason : "", "it can't be reached: ")
      }
    }))

  it.scopedLive("shares one connection among its calls", () =>
    Effect.gen(function*() {
      const { answers, starts } = yield* called("plain", "20 seconds")
      assert.strictEqual(starts, 1)
      assert.deepStrictEqual(answers.map(({ _tag }) => _tag), ["Right", "Right", "Right", "Right"])
    }))
})
