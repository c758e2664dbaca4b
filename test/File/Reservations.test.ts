import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { openDirectory } from "../../src/File/OpenDirectory.ts"
import { Reservations } from "../../src/File/Reservations.ts"
import { Sandbox, type SandboxOptions } from "../../src/File/Sandbox.ts"
import type { SandboxRefused } from "../../src/File/SandboxRefused.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import * as Database from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { alice } from "./place.ts"

const blockBytes = 4_096
/** In blocks. */
const mebibyte = 256
const blocks = (count: number) => "x".repeat(Math.floor(count) * blockBytes)

interface Pair {
  readonly one: Sandbox["Type"]
  readonly other: Sandbox["Type"]
  readonly root: string
}

/** Two processes with one storage and one database, or one process alone. */
const sandboxes = (
  quotaBlocks: number,
  isShared: boolean,
  options: Partial<SandboxOptions> = {}
): Effect.Effect<Pair, never, DatabaseUrl | Scope.Scope> =>
  Effect.gen(function*() {
    const root = yield* freshFolder
    const process = Layer.fresh(Sandbox.layer({ root, quotaBytes: quotaBlocks * blockBytes, ...options }))
    const shared = Layer.provide(process, Reservations.layerShared).pipe(
      Layer.provide(Layer.orDie(Sql.layer({ maxConnections: 2 })))
    )
    const started = Effect.map(Layer.build(Layer.fresh(isShared ? shared : process)), Context.get(Sandbox))
    const one = yield* started
    const other = isShared ? yield* started : one
    // Both have measured the empty folder, and neither measures it again before it would refuse.
    for (const sandbox of [one, other]) {
      assert.isTrue(yield* Effect.isFailure(sandbox.write(alice, "large", blocks(quotaBlocks + 1))))
    }
    return { root, one, other }
  })

const query = <Row extends object>(text: string) => Effect.flatMap(DatabaseUrl, (url) => Database.query<Row>(url, text))

const upload = (sandbox: Sandbox["Type"], name: string, content: string) =>
  Effect.gen(function*() {
    const incoming = yield* sandbox.receive(10_000_000)
    yield* incoming.assign(alice, name)
    yield* incoming.write(Buffer.from(content))
    return incoming
  })

const uploaded = (sandbox: Sandbox["Type"], name: string, content: string) =>
  Effect.scoped(Effect.flatMap(upload(sandbox, name, content), ({ commit }) => commit))

/** The database accepts no connection any more, and those that are open end. */
const outage = Effect.gen(function*() {
  const name = new URL(Redacted.value(yield* DatabaseUrl)).pathname.slice(1)
  const server = Redacted.make(inject("databaseUrl"))
  yield* Database.query(server, `alter database ${name} allow_connections false`)
  yield* Database.query(server, "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name])
})

const refusal = <A>(write: Effect.Effect<A, SandboxRefused>) => Effect.map(Effect.flip(write), ({ kind }) => kind)

layer(Database.layer, { excludeTestServices: true })("Concurrent writes", (it) => {
  for (const [where, isShared] of [["in one process", false], ["in two processes", true]] as const) {
    it.scoped(`let one of two have the last space, whichever way they arrive, ${where}`, () =>
      Effect.gen(function*() {
        const { one, other } = yield* sandboxes(4, isShared)
        yield* one.write(alice, "before.txt", blocks(3))
        for (let round = 0; round < 5; round++) {
          const exits = yield* Effect.forEach(
            [
              Effect.asVoid(one.write(alice, "one.txt", blocks(1))),
              Effect.asVoid(uploaded(other, "other.txt", blocks(1)))
            ],
            Effect.exit,
            { concurrency: "unbounded" }
          )
          assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
          for (const sandbox of [one, other]) {
            assert.strictEqual((yield* sandbox.usage(alice)).usedBytes, 4 * blockBytes)
          }
          yield* Exit.isSuccess(exits[0] ?? Exit.void) ? one.remove(alice, "one.txt") : other.remove(alice, "other.txt")
        }
      }))

    it.scoped(`count what was written since the last measurement, ${where}`, () =>
      Effect.gen(function*() {
        const { one, other } = yield* sandboxes(4, isShared)
        yield* uploaded(one, "a.txt", blocks(3))
        assert.strictEqual(yield* refusal(other.write(alice, "b.txt", blocks(2))), "quota")
        yield* one.remove(alice, "a.txt")
        yield* other.write(alice, "b.txt", blocks(2))
      }))

    it.scoped(`count what others have reserved, ${where}`, () =>
      Effect.gen(function*() {
        const { one, other } = yield* sandboxes(4, isShared)
        yield* upload(one, "a.txt", blocks(2))
        yield* upload(other, "b.txt", blocks(2))
        for (const sandbox of [one, other]) {
          assert.strictEqual(yield* refusal(sandbox.write(alice, "c.txt", blocks(1))), "quota")
        }
      }))

    it.scoped(`keep one of two uploads that don't fit together, ${where}`, () =>
      Effect.gen(function*() {
        const { one, other, root } = yield* sandboxes(4, isShared)
        const first = yield* upload(one, "first.txt", blocks(2))
        const second = yield* upload(other, "second.txt", blocks(2))
        assert.strictEqual(yield* refusal(first.write(Buffer.from(blocks(1)))), "quota")
        yield* second.write(Buffer.from(blocks(2)))
        yield* second.commit
        assert.deepStrictEqual(fs.readdirSync(join(root, alice)), ["second.txt"])
      }))

    it.scoped(`let two uploads that fit have the last space, however their chunks alternate, ${where}`, () =>
      Effect.gen(function*() {
        const { one, other, root } = yield* sandboxes(1.5 * mebibyte, isShared)
        const chunk = Buffer.from(blocks(0.35 * mebibyte))
        const orders = [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0], [1, 1, 0, 0]]
        for (const order of orders) {
          yield* Effect.scoped(Effect.gen(function*() {
            const uploads = [yield* upload(one, "one.txt", ""), yield* upload(other, "other.txt", "")]
            for (const at of order) yield* uploads[at]?.write(chunk) ?? Effect.void
            for (const { commit } of uploads) yield* commit
          }))
          assert.deepStrictEqual(fs.readdirSync(join(root, alice)), ["one.txt", "other.txt"], order.join())
          yield* one.remove(alice, "one.txt")
          yield* other.remove(alice, "other.txt")
        }
      }))

    it.scoped(`release what an interrupted upload has reserved, ${where}`, () =>
      Effect.gen(function*() {
        const { one, other } = yield* sandboxes(4, isShared)
        const began = yield* Deferred.make<void>()
        const fiber = yield* upload(one, "never.txt", blocks(4)).pipe(
          Effect.zipRight(Deferred.succeed(began, undefined)),
          Effect.zipRight(Effect.never),
          Effect.scoped,
          Effect.fork
        )
        yield* Deferred.await(began)
        yield* Fiber.interrupt(fiber)
        yield* other.write(alice, "whole.txt", blocks(4))
      }))
  }

  it.scoped("reserve ahead only while much more is free", () =>
    Effect.gen(function*() {
      const reserved = query<{ bytes: number }>("select bytes from file_reservations where settled_at is null")
      for (const [quota, ahead] of [[17 * mebibyte, mebibyte], [16 * mebibyte, 0]] as const) {
        const { one } = yield* sandboxes(quota, true)
        yield* Effect.scoped(Effect.gen(function*() {
          yield* upload(one, "a.txt", blocks(2))
          assert.deepStrictEqual(yield* reserved, [{ bytes: (2 + ahead) * blockBytes }])
        }))
      }
    }))

  it.scoped("keep a file that is in its place when the database goes away", () =>
    Effect.gen(function*() {
      let beforeRename = Effect.void
      const { one, root } = yield* sandboxes(4, true, {
        openDirectory: (location, path) =>
          Effect.map(openDirectory(location, path), (folder) => ({
            ...folder,
            verify: Effect.zipRight(folder.verify, Effect.suspend(() => beforeRename))
          }))
      })
      yield* one.write(alice, "before.txt", blocks(1))
      yield* Effect.scoped(Effect.gen(function*() {
        const incoming = yield* upload(one, "a.txt", blocks(2))
        beforeRename = Effect.provideService(outage, DatabaseUrl, yield* DatabaseUrl)
        assert.strictEqual((yield* incoming.commit).file.size, 2 * blockBytes)
      }))
      assert.deepStrictEqual(fs.readdirSync(join(root, alice)), ["a.txt", "before.txt"])
    }).pipe(Effect.provideServiceEffect(DatabaseUrl, Database.freshDatabase)))

  it.scoped("wait for no frozen process, and get back in time what a killed one has reserved", () =>
    Effect.gen(function*() {
      const { one, other } = yield* sandboxes(4, true)
      const frozen = yield* Scope.make()
      yield* Scope.extend(upload(one, "never.txt", blocks(3)), frozen)
      yield* other.write(alice, "small.txt", blocks(1))
      assert.strictEqual(yield* refusal(other.write(alice, "more.txt", blocks(1))), "quota")
      yield* query("update file_reservations set expires_at = now() - interval '1 second' where settled_at is null")
      yield* other.write(alice, "more.txt", blocks(1))
      yield* Scope.close(frozen, Exit.void)
      const left = yield* query<{ settled: boolean }>("select settled_at is not null as settled from file_reservations")
      assert.deepStrictEqual(left.filter(({ settled }) => !settled), [])
    }))
})
