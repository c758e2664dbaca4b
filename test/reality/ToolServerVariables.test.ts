import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { type ToolServerEntry, ToolServersRequest } from "@troupe/api/ToolServersApi"
import { ConfigProvider, Effect, Layer, Option, Schema } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import * as ToolServersSeed from "../../src/ToolServer/ToolServersSeed.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { entry } from "../support/ToolServerFixture.ts"
import { alone, callTool, configure, onDatabase, startServers } from "../ToolServer/world.ts"

const environment = (values: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ TOKEN: "s3cret-token", ...values }))))

describe("${NAME} in the configuration of a self-hosted service", () => {
  it.scopedLive("is the variable of its environment, and is stored and shown as it was written", () =>
    Effect.gen(function*() {
      const server = yield* httpToolServer()
      const base = new URL(server.url("http")).origin
      yield* Effect.gen(function*() {
        const servers = yield* startServers()
        const url = "${BASE}/mcp"
        const report = yield* configure({ srv: { url, headers: { Authorization: "Bearer ${env:TOKEN}" } } })
        assert.deepInclude(report.servers[0], { status: "connected", tools: ["count"] })
        assert.strictEqual(yield* callTool(servers, "count"), "one")
        assert.strictEqual(server.headers().authorization, "Bearer s3cret-token")
        const { configuration } = yield* ToolServerSettings
        const shown = yield* configuration
        assert.deepStrictEqual(shown.mcpServers["srv"], { type: "http", url, headers: { Authorization: "********" } })
        const [stored] = (yield* (yield* ToolServerRepo).configuration).servers
        assert.deepInclude(JSON.parse(JSON.stringify(stored?.entry)), { url })
        // What was shown can be sent back.
        yield* configure(shown.mcpServers)
        assert.strictEqual(yield* callTool(servers, "count"), "one")
        assert.strictEqual(server.headers().authorization, "Bearer s3cret-token")
        assert.strictEqual(server.opened(), 1)
      }).pipe(environment({ BASE: base }), Effect.provide(onDatabase))
    }))

  it.scopedLive("is an error with its name if it is not set, and a value is in no error", () =>
    Effect.gen(function*() {
      yield* startServers()
      const { servers } = yield* configure({
        fine: entry(),
        lost: { url: "https://example.org/mcp", headers: { Authorization: "Bearer ${NOT_SET}" } },
        wrong: { command: "/no/such/${TOKEN}" }
      })
      assert.deepStrictEqual(servers.map(({ error, name, status }) => [name, status, error]), [
        ["fine", "connected", null],
        [
          "lost",
          "failed",
          "its headers.Authorization refers to the variable NOT_SET, which is not set in the environment of the service"
        ],
        [
          "wrong",
          "failed",
          "there is no program \"/no/such/[redacted]\", or not the interpreter that its first line names"
        ]
      ])
    }).pipe(environment({}), Effect.provide(onDatabase)))
})

const hostedRules = { isHosted: true, allowStdio: true, maxCallSeconds: 530 }

const decode = Schema.decodeUnknownSync(ToolServersRequest)

/** Configures as an admin of a hosted service; answers the mistakes. */
const configureHosted = (mcpServers: unknown) =>
  Effect.gen(function*() {
    const { configure } = yield* ToolServerSettings
    return yield* Effect.match(configure(decode({ mcpServers })), {
      onFailure: ({ mistakes }) => mistakes.map(({ path }) => path),
      onSuccess: () => []
    })
  }).pipe(Effect.provide(ToolServerSettings.layer({ rules: hostedRules, timeout: "100 millis" })))

describe("${NAME} in the configuration of a hosted service", () => {
  it.scopedLive("is refused with its name, since an admin must not read the environment", () =>
    Effect.gen(function*() {
      const url = "https://example.org/mcp"
      assert.deepStrictEqual(
        yield* configureHosted({
          a: { url, headers: { "X-Key": "${TOKEN}" } },
          b: { command: "x", args: ["${TOKEN}"] }
        }),
        ["mcpServers.a.headers.X-Key", "mcpServers.b.args.0"]
      )
      assert.strictEqual(yield* (yield* ToolServerRepo).version, 0)
    }).pipe(environment({}), Effect.provide(alone)))

  it.scopedLive("is a variable in the operator's file, and stays it as long as an admin gives the server nothing new", () =>
    Effect.gen(function*() {
      const file = join(yield* freshFolder, "mcp.json")
      const program = { command: "serve", args: ["--root", "${ROOT}"], env: { KEY: "${TOKEN}" } }
      const web = { url: "https://example.org/mcp", type: "http", headers: { "X-Key": "${TOKEN}" } }
      yield* Effect.promise(() => writeFile(file, JSON.stringify({ mcpServers: { program, web } })))
      const seed = ToolServersSeed.layer({ file: Option.some(file), rules: hostedRules })
      yield* Layer.build(Layer.provide(seed, NodeContext.layer))
      const { configuration } = yield* ToolServerSettings
      const shown: Record<string, ToolServerEntry> = { ...(yield* configuration).mcpServers }
      assert.deepStrictEqual(shown, {
        program: { ...program, env: { KEY: "********" } },
        web: { ...web, headers: { "X-Key": "********" } }
      })
      const variables = Effect.gen(function*() {
        const { servers } = yield* (yield* ToolServerRepo).configuration
        return servers.map(({ server }) => server._tag === "Right" && server.right.variables)
      })
      assert.deepStrictEqual(yield* configureHosted({ ...shown, web: { ...shown["web"], disabled: true } }), [])
      assert.deepStrictEqual(yield* variables, ["service", "service"])
      for (
        const [name, changed, field] of [
          ["program", { ...program, args: ["--root", "${SECRETS_KEY}"] }, "args.1"],
          ["program", { ...program, env: { KEY: "${TOKEN}", NODE_OPTIONS: "--require=/tmp/x.js" } }, "args.1"],
          ["web", { ...web, url: "https://attacker.example/mcp" }, "headers.X-Key"],
          ["web", { ...web, headers: { "X-Key": "${TOKEN}", "X-Other": "${SECRETS_KEY}" } }, "headers.X-Key"],
          ["other", web, "headers.X-Key"]
        ] as const
      ) assert.strictEqual((yield* configureHosted({ [name]: changed }))[0], `mcpServers.${name}.${field}`)
      assert.deepStrictEqual(yield* variables, ["service", "service"])
    }).pipe(environment({ ROOT: "/srv" }), Effect.provide(alone)))
})
