import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { defaultUser } from "@troupe/domain/Ids"
import { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { Effect, Layer } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { env } from "node:process"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"
import { entry, filesystem, isAlive } from "../support/ToolServerFixture.ts"

type Client = Effect.Effect.Success<ReturnType<typeof TroupeClient.make>>

const clientOf = (port: number) =>
  Effect.flatMap(
    Layer.build(NodeHttpClient.layerUndici),
    (http) => Effect.provide(TroupeClient.make({ baseUrl: `http://127.0.0.1:${port}` }), http)
  )

/** Makes the task and waits for its end. */
const ended = (client: Client, message: string) => Effect.flatMap(submitted(client, message), (id) => endOf(client, id))

const submitted = (client: Client, message: string) =>
  Effect.map(client.tasks.chat({ headers: {}, payload: { message } }), ({ task_id }) => task_id)

const endOf = (client: Client, id: string) =>
  Effect.gen(function*() {
    const look = client.tasks.find({ path: { task_id: id }, urlParams: {} })
    yield* until("the task has ended", Effect.map(look, ({ status }) => status === "completed" || status === "failed"))
    return yield* look
  })

const messages = (client: Client, id: string) =>
  Effect.map(client.tasks.messages({ path: { task_id: id }, urlParams: {} }), (found) => JSON.stringify(found))

const path = env["PATH"] ?? ""

/** Settings under which the tasks of a killed process are missed soon. */
const workerSettings = { SHARD_LOCK_EXPIRATION: 3, PATH: path }

processTest(
  "Tool servers serve a task from the request to its answer; a call that a kill cut off is uncertain, and its server ends",
  function*() {
    const deployment = yield* makeDeployment()
    const [api, worker] = [yield* makePorts, yield* makePorts]
    const workerEnvironment = { ...deployment.environment, ...worker.environment, ...workerSettings }
    const running = yield* start("worker", workerEnvironment)
    yield* start("api", { ...deployment.environment, ...api.environment })
    const client = yield* clientOf(api.http)
    const folder = join(deployment.storage, "..")
    const report = yield* client.toolServers.configure({
      payload: {
        mcpServers: { fs: { command: process.execPath, args: [filesystem, folder], env: { TOKEN: "hush-hush" } } }
      }
    })
    assert.strictEqual(report.connected_servers, 1, JSON.stringify(report))
    assert.notInclude(JSON.stringify(report), "hush")
    const file = join(folder, "hello.txt")
    const task = yield* ended(client, `use fs__write_file ${JSON.stringify({ path: file, content: "Hello" })}`)
    assert.strictEqual(task.status, "completed")
    assert.strictEqual(yield* Effect.promise(() => readFile(file, "utf8")), "Hello")
    assert.strictEqual((yield* client.system.health()).checks.tool_servers.status, "ok")
    assert.strictEqual((yield* client.toolServers.legacyStatus()).status, "delegated")
    const wrong = yield* Effect.flip(
      client.toolServers.configure({ payload: { mcpServers: { fs: { url: "ftp://example.org" } } } })
    )
    assert.instanceOf(wrong, ToolServersInvalid)
    assert.deepStrictEqual(wrong.mistakes.map(({ path }) => path), ["mcpServers.fs.url"])
    const secret = yield* taskClient(api.http).send("POST", "/api/mcp/configure", {
      mcpServers: { fs: { url: "https://example.org", headers: { authorization: { bearer: "hush-hush" } } } }
    })
    assert.strictEqual(secret.status, 400)
    assert.include(JSON.stringify(secret.body), "mcpServers.fs.headers")
    assert.notInclude(JSON.stringify(secret.body), "hush")
    assert.strictEqual((yield* client.toolServers.status()).connected_servers, 1)
    yield* client.toolServers.configure({ payload: { mcpServers: { srv: entry() } } })
    yield* ended(client, "use srv__redefine {}")
    const off = Effect.map(client.toolServers.status(), ({ servers: [srv] }) => srv?.tools_off ?? [])
    yield* until("the changed tool is off", Effect.map(off, ([tool]) => tool?.name === "echo"))
    const notifications = yield* client.notifications.list({ path: { user_id: defaultUser }, urlParams: {} })
    const reminder = notifications.find(({ kind }) => kind === "reminder")
    assert.deepInclude(reminder, { task_id: null, title: "Tools of srv are off", read: false })
    assert.deepStrictEqual(yield* client.toolServers.clear(), {
      total_servers: 0,
      connected_servers: 0,
      failed_servers: 0,
      disabled_servers: 0,
      total_tools: 0,
      servers: []
    })

    const log = join(folder, "log.txt")
    yield* client.toolServers.configure({ payload: { mcpServers: { srv: entry("stubborn") } } })
    const counted = yield* ended(client, "use srv__count {}")
    const pid = Number(/(\d+) \d+/.exec(yield* messages(client, counted.id))?.[1])
    const daemonized = yield* ended(client, "use srv__daemonize {}")
    const daemon = Number(/"content":"(\d+)"/.exec(yield* messages(client, daemonized.id))?.[1])
    assert.isTrue(isAlive(pid) && isAlive(daemon))
    const id = yield* submitted(
      client,
      `use srv__append ${JSON.stringify({ path: log, text: "once ", millis: 60_000 })}`
    )
    const text = Effect.promise(() => readFile(log, "utf8").catch(() => ""))
    yield* until("the call runs", Effect.map(text, (text) => text === "once "))
    yield* running.signal("SIGKILL")
    yield* running.ended
    yield* until("the stubborn server was ended", Effect.sync(() => !isAlive(pid)))
    yield* until("its daemon was ended", Effect.sync(() => !isAlive(daemon)))
    yield* start("worker", workerEnvironment)
    assert.strictEqual((yield* endOf(client, id)).status, "completed")
    assert.include(yield* messages(client, id), "Error: uncertain")
    assert.strictEqual(yield* text, "once ")
  }
)
