import { NodeContext } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { type Finding, ok } from "@troupe/domain/Finding"
import { ConfigProvider, Duration, Effect, Option, Redacted, Stream } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { diagnose } from "../../src/apps/doctor.ts"
import { findings } from "../../src/Doctor/Check.ts"
import { databaseCheck } from "../../src/Doctor/DatabaseCheck.ts"
import { folderCheck, nodeCheck } from "../../src/Doctor/MachineChecks.ts"
import { modelCheck } from "../../src/Doctor/ModelCheck.ts"
import { type Address, portCheck } from "../../src/Doctor/PortCheck.ts"
import { inboxCheck, webhookCheck } from "../../src/Doctor/TrustChecks.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { freshDatabase, query } from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { listening } from "../support/LocalServer.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { makePgBouncer, pgBouncerNeed } from "../support/PgBouncer.ts"
import { freePort } from "../support/Processes.ts"

const statuses = (found: ReadonlyArray<Finding>) =>
  Object.fromEntries(found.map(({ check, status }) => [check, status]))

/** Whatever is wrong comes with what to do about it. */
const assertFixes = (found: ReadonlyArray<Finding>) => {
  for (const { check, fix, status } of found) {
    if (status === "error" || status === "warning") assert.isNotNull(fix, check)
  }
}

it.effect("Node is checked against the oldest version that works", () =>
  Effect.gen(function*() {
    for (const version of ["20.19.0", "22.1.0", "24.0.1"]) {
      assert.deepStrictEqual(yield* nodeCheck(version).run, [ok("node", `Node ${version}`)])
    }
    for (const version of ["20.18.9", "18.20.0"]) {
      const [found] = yield* nodeCheck(version).run
      assert.deepStrictEqual([found?.status, found?.fix], ["error", "Install Node 20.19 or newer."])
    }
  }))

it.live("A check that fails is a finding, not a failure", () =>
  Effect.gen(function*() {
    const [failed] = yield* findings({ name: "one", run: Effect.die(new Error("broken\nstack")) })
    assert.deepStrictEqual([failed?.check, failed?.status, failed?.detail], [
      "one",
      "error",
      "The check failed: Error: broken"
    ])
  }))

it.scopedLive("A database is described; one that a newer version migrated, or that does not answer, is an error", () =>
  Effect.gen(function*() {
    const url = yield* freshDatabase
    const check = databaseCheck({ url: Option.some(url), folder: "unused" })
    const found = yield* check.run
    assert.deepStrictEqual(
      { ...statuses(found), pgvector: null },
      { database: "ok", latency: "ok", clock: "ok", pgvector: null, cleaning: "ok", migrations: "ok" }
    )
    assert.strictEqual(found.find(({ check }) => check === "migrations")?.detail, "Up to date")
    assertFixes(found)

    yield* query(url, "delete from troupe_migrations where migration_id = 1")
    const behind = yield* check.run
    assert.strictEqual(behind.find(({ check }) => check === "migrations")?.detail, "1 to be applied by the next start")
    yield* query(url, "insert into troupe_migrations (migration_id, name) values (9999, 'later')")
    const newer = (yield* check.run).find(({ check }) => check === "migrations")
    assert.deepStrictEqual([newer?.status, newer?.fix], ["error", "Start that version."])

    const absent = Redacted.make("postgresql://someone:secret@127.0.0.1:1/there")
    const [unreachable] = yield* databaseCheck({ url: Option.some(absent), folder: "unused" }).run
    assert.deepStrictEqual([unreachable?.check, unreachable?.status], ["database", "error"])
    assert.notInclude(JSON.stringify(unreachable), "secret")
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive.skipIf(pgBouncerNeed.isMissing)(
  pgBouncerNeed.named("A pooler before the database needs the address of the server too"),
  () =>
    Effect.gen(function*() {
      const server = yield* freshDatabase
      const pooler = yield* makePgBouncer(server, { connections: 2 })
      const url = Option.some(pooler)
      const found = (yield* databaseCheck({ url, folder: "unused" }).run).find(({ check }) => check === "pooler")
      assert.deepStrictEqual(
        [found?.status, found?.fix],
        ["warning", "Set DATABASE_DIRECT_URL to the address of the database server itself."]
      )
      const checked = (directUrl: Redacted.Redacted) =>
        Effect.map(
          databaseCheck({ url, directUrl: Option.some(directUrl), folder: "unused" }).run,
          (found) => found.find(({ check }) => check === "pooler")
        )
      assert.strictEqual((yield* checked(server))?.status, "ok")
      assert.strictEqual((yield* checked(pooler))?.status, "warning")
    }).pipe(Effect.provide(NodeContext.layer))
)

it.scopedLive("The second address of the database is tried, and must lead to the same one", () =>
  Effect.gen(function*() {
    const server = yield* freshDatabase
    const checked = (directUrl: Redacted.Redacted) =>
      Effect.map(
        databaseCheck({ url: Option.some(server), directUrl: Option.some(directUrl), folder: "unused" }).run,
        (found) => found.find(({ check }) => check === "pooler")
      )
    assert.strictEqual((yield* checked(server))?.status, "ok")
    const absent = yield* checked(Redacted.make("postgresql://someone:secret@127.0.0.1:1/there"))
    assert.deepStrictEqual([absent?.status, absent?.fix], ["error", "Check DATABASE_DIRECT_URL."])
    const other = yield* checked(yield* freshDatabase)
    assert.strictEqual(other?.status, "error")
    assert.include(other?.detail, "it is another database")
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("An embedded database that is not running is left as it is", () =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const found = yield* databaseCheck({ url: Option.none(), folder: join(folder, "postgres") }).run
    assert.deepStrictEqual(statuses(found), { database: "ok", latency: "skipped" })
    assert.include(found[0]?.detail, "the first start creates it")
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("A folder is writable, will be created, or is no folder", () =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    yield* Effect.promise(async () => {
      await writeFile(join(folder, "file"), "")
      await mkdir(join(folder, "there"))
    })
    const found = yield* folderCheck(
      ["there", "not/yet", "file", "file/below"].map((name) => ({
        name,
        path: join(folder, name),
        setting: "DATA_DIR"
      }))
    ).run
    assert.deepStrictEqual(found.map(({ status }) => status), ["ok", "ok", "error", "error"])
    assert.include(found[1]?.detail, "will be created")
    assertFixes(found)
  }))

it.scopedLive("A port is free, in use by Troupe, or in use by another program", () =>
  Effect.gen(function*() {
    const address = (port: number, more: Partial<Address> = {}): Address => ({
      name: "port",
      host: "127.0.0.1",
      port,
      settings: { host: "HOST", port: "PORT" },
      protocol: "http",
      ...more
    })
    const [free, taken, troupe, runner] = yield* Effect.all([freePort, freePort, freePort, freePort])
    yield* listening(createServer((socket) => socket.resume().end("SSH-2.0\n")), taken)
    yield* listening(createServer(), runner)
    const welcome = JSON.stringify({ name: "Troupe", message: "", version: "9.9", docs: null, console: null })
    yield* listening(
      createHttpServer((_, response) =>
        response.writeHead(200, { "content-type": "application/json", connection: "close" }).end(welcome)
      ),
      troupe
    )
    const detail = (addresses: ReadonlyArray<Address>) =>
      Effect.map(portCheck(addresses).run, (found) => {
        assertFixes(found)
        return found.map(({ detail, status }) => `${status}: ${detail}`)
      })
    assert.deepStrictEqual(yield* detail([address(free)]), [`ok: 127.0.0.1:${free} is free.`])
    assert.deepStrictEqual(yield* detail([address(taken), address(runner, { protocol: "cluster" })]), [
      `error: 127.0.0.1:${taken} is in use by another program.`,
      `error: 127.0.0.1:${runner} is in use by another program.`
    ])
    assert.deepStrictEqual(yield* detail([address(troupe), address(runner, { protocol: "cluster" })]), [
      `ok: 127.0.0.1:${troupe} is in use by Troupe 9.9.`,
      `ok: 127.0.0.1:${runner} is in use, as it is while Troupe runs.`
    ])
    assert.deepStrictEqual(yield* detail([address(free, { host: "192.0.2.1" })]), [
      "error: 192.0.2.1 is no address of this machine."
    ])
  }))

const modelOf = (values: Readonly<Record<string, string>>) =>
  Effect.map(Effect.provide(Settings, Settings.layerFrom(values)), ({ model }) => model)

it.scopedLive("The model is asked by one small call", () =>
  Effect.gen(function*() {
    const server = yield* makeModelServer({ script: () => ({ text: "OK" }) })
    const settings = yield* modelOf({ USE_LOCAL_MODEL: "true", LOCAL_MODEL_URL: server.url, LOCAL_MODEL: "tiny" })
    const [called] = yield* modelCheck(settings).run
    assert.strictEqual(called?.status, "ok", called?.detail)
    const bodies = yield* server.bodies
    assert.strictEqual(bodies.length, 1)
    assert.include(JSON.stringify(bodies), "\"max_tokens\":1")

    const absent = yield* modelOf({ USE_LOCAL_MODEL: "true", LOCAL_MODEL_URL: "http://127.0.0.1:1/v1" })
    assert.deepStrictEqual(statuses(yield* modelCheck(absent).run), { model: "error" })
    const offline = yield* modelCheck(yield* modelOf({})).run
    assert.deepStrictEqual(statuses(offline), { model: "skipped" }, "it does not know those that were connected")
    assertFixes(offline)
  }))

it.effect("An inbox that does not check its senders is a warning", () =>
  Effect.gen(function*() {
    const of = (trustedAuthserv: Option.Option<string>) => inboxCheck(Option.some({ trustedAuthserv })).run
    const trusting = yield* of(Option.none())
    assert.deepStrictEqual(statuses(trusting), { inbox: "warning" })
    assertFixes(trusting)
    assert.deepStrictEqual(yield* of(Option.some("mx.example.org")), [])
    assert.deepStrictEqual(yield* inboxCheck(Option.none()).run, [])
  }))

it.live("Each invalid setting is an error of its own, without its secret", () =>
  Effect.gen(function*() {
    const found = yield* diagnose({ callModel: false }).pipe(
      Stream.runCollect,
      Effect.map((chunk) => [...chunk]),
      Effect.withConfigProvider(
        ConfigProvider.fromMap(new Map([["PORT", "many"], ["DATABASE_URL", "mysql://me:secret@there"]]))
      ),
      Effect.provide(NodeContext.layer),
      Effect.timeout(Duration.seconds(20))
    )
    assert.deepStrictEqual(found.map(({ check, status }) => `${check} ${status}`), [
      "node ok",
      "settings error",
      "settings error"
    ])
    assert.include(JSON.stringify(found), "PORT is \\\"many\\\"")
    assert.notInclude(JSON.stringify(found), "secret")
  }))

it.effect("Which webhooks are verified is listed, and trust in the others is a warning", () =>
  Effect.gen(function*() {
    const secrets = new Map([["ORDERS", Redacted.make("s3cret")], ["CODE_HOST", Redacted.make("s3cret")]])
    const [listed] = yield* webhookCheck({ secrets, trustUnsigned: false }).run
    assert.deepStrictEqual(listed, ok("webhooks", "Signatures of these webhooks are verified: CODE_HOST, ORDERS."))
    const trusting = yield* webhookCheck({ secrets, trustUnsigned: true }).run
    assert.deepStrictEqual(statuses(trusting), { webhooks: "warning" })
    assertFixes(trusting)
    const none = yield* webhookCheck({ secrets: new Map(), trustUnsigned: false }).run
    assert.deepStrictEqual(statuses(none), { webhooks: "skipped" })
  }))
