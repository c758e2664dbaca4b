import { assert, describe, it } from "@effect/vitest"
import { inputRequired } from "@modelcontextprotocol/server"
import { ToolCallId } from "@troupe/domain/Ids"
import type { CallInput } from "@troupe/domain/ServerQuestion"
import { Duration, Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { serverToolsOf } from "../../src/ToolServer/ServerTool.ts"
import { openSession } from "../../src/ToolServer/ToolSession.ts"
import { askingServer, text } from "../support/AskingServer.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { address, options, program } from "../support/ToolServerFixture.ts"

const limits = { ...options, callTimeout: Duration.seconds(20), callLimit: Duration.seconds(20) }

const sure = {
  message: "Sure?",
  requestedSchema: { type: "object" as const, properties: { go: { type: "boolean" as const } } }
}

const tools = serverToolsOf("test", [{ name: "count" }]).tools

/** How often the server was started by three calls at once and one after them, and what they came to. */
const called = (mode: string, connectTimeout: Duration.DurationInput) =>
  Effect.gen(function*() {
    const starts = join(yield* freshFolder, "starts")
    const server = program(["test/support/toolServer.mjs", mode], { STARTS: starts })
    const session = yield* openSession(() => server, {
      ...limits,
      connectTimeout: Duration.decode(connectTimeout)
    })
    const calls = Effect.forEach(tools, (tool) => Effect.either(session.call(tool, {})))
    const answers = yield* Effect.all([calls, calls, calls], { concurrency: "unbounded" })
    const later = yield* calls
    const begun = yield* Effect.promise(() => readFile(starts, "utf8"))
    return { starts: begun.trim().split("\n").length, answers: [...answers.flat(), ...later] }
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

  it.scopedLive("gives a server the answer to what its call asked", () =>
    Effect.gen(function*() {
      const server = yield* askingServer({
        count: ({ responses }) =>
          responses === undefined
            ? inputRequired({ inputRequests: { sure: inputRequired.elicit(sure) } })
            : text(JSON.stringify(responses))
      })
      const session = yield* openSession(() => address("http", server.url), limits)
      const asking = (input?: CallInput) => ({ id: "task call", input, expired: Effect.void })
      const [tool] = tools
      assert(tool !== undefined)
      const asked = yield* session.call(tool, {}, undefined, asking())
      assert.strictEqual(asked["resultType"], "input_required")
      const result = yield* session.call(
        tool,
        {},
        undefined,
        asking({
          id: ToolCallId.make("call"),
          questions: [],
          before: 0,
          answers: new Map([["sure", { action: "accept", content: { go: true } }]])
        })
      )
      assert.include(JSON.stringify(result["content"]), "accept")
    }))

  it.scopedLive("leaves the connection to a server that is configured anew", () =>
    Effect.gen(function*() {
      const [first, second] = yield* Effect.all([httpToolServer(), httpToolServer()])
      let server = address("http", first.url("http"))
      const session = yield* openSession(() => server, limits)
      const [tool] = tools
      assert(tool !== undefined)
      yield* session.call(tool, {})
      server = address("http", second.url("http"))
      yield* session.call(tool, {})
      yield* session.call(tool, {})
      assert.deepStrictEqual([first.called(), second.called()], [["count"], ["count", "count"]])
      assert.strictEqual(second.opened(), 1)
    }))
})
