import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import * as ToolServersSeed from "../../src/ToolServer/ToolServersSeed.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { entry } from "../support/ToolServerFixture.ts"
import { alone } from "./world.ts"

const rules = { isHosted: false, allowStdio: false, maxCallSeconds: 530 }

/** A start of the service with a file of this text. */
const seeded = (text: string | Uint8Array | null) =>
  Effect.gen(function*() {
    const file = join(yield* freshFolder, "mcp.json")
    if (text !== null) yield* Effect.promise(() => writeFile(file, text))
    yield* Layer.build(Layer.provide(ToolServersSeed.layer({ file: Option.some(file), rules }), NodeContext.layer))
  })

const names = Effect.flatMap(
  ToolServerRepo,
  ({ configuration }) => Effect.map(configuration, ({ servers }) => servers.map(({ name }) => name))
)

const withServer = (name: string) => JSON.stringify({ mcpServers: { [name]: entry() }, other: "things" })

describe("MCP_CONFIG_FILE", () => {
  it.scopedLive("is stored once, and not again after the configuration was cleared", () =>
    Effect.gen(function*() {
      yield* seeded(withServer("one"))
      assert.deepStrictEqual(yield* names, ["one"])
      yield* seeded(withServer("two"))
      assert.deepStrictEqual(yield* names, ["one"])
      yield* Effect.flatMap(ToolServerSettings, ({ clear }) => clear)
      yield* seeded(withServer("three"))
      assert.deepStrictEqual(yield* names, [])
    }).pipe(Effect.provide(alone)))

  it.scopedLive("is read in the encoding of the editor or shell that wrote it", () =>
    Effect.gen(function*() {
      yield* seeded(Buffer.from(`\uFEFF${withServer("one")}`, "utf16le"))
      assert.deepStrictEqual(yield* names, ["one"])
    }).pipe(Effect.provide(alone)))

  it.scopedLive("that can't be used stops the start, names the wrong field, and shows no secret", () =>
    Effect.gen(function*() {
      const message = (text: string | null) => Effect.map(Effect.flip(seeded(text)), ({ message }) => message)
      assert.include(yield* message(null), "it can't be read")
      assert.include(yield* message("{ not json, hush"), "it must be JSON of the form")
      assert.include(yield* message(JSON.stringify({ mcpServers: { a: { url: "ftp://x" } } })), "mcpServers.a.url: ")
      const wrong = yield* message(JSON.stringify({ mcpServers: { a: { command: "x", env: { KEY: ["hush"] } } } }))
      assert.include(wrong, "mcpServers.a.env is invalid")
      assert.notInclude(wrong, "hush")
      assert.include(
        yield* message(JSON.stringify({ mcpServers: { a: { command: "x", timeout_seconds: 601 } } })),
        "mcpServers.a.timeout_seconds must be a number of seconds from 1 to 600"
      )
      assert.deepStrictEqual(yield* names, [])
    }).pipe(Effect.provide(alone)))
})
