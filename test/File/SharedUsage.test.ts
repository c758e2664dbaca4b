import { assert, layer } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Exit, Layer, type Scope } from "effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Sandbox } from "../../src/File/Sandbox.ts"
import type { SandboxRefused } from "../../src/File/SandboxRefused.ts"
import { SharedUsage } from "../../src/File/SharedUsage.ts"
import type { DatabaseUrl } from "../../src/Runtime/DatabaseUrl.ts"
import * as Sql from "../../src/Runtime/Sql.ts"
import * as Database from "../support/Database.ts"

const alice = UserId.make("alice")
const block = "x".repeat(4096)

/** Two processes with one storage, in which a user may keep four blocks. */
const processes: Effect.Effect<ReadonlyArray<Sandbox["Type"]>, never, DatabaseUrl | Scope.Scope> = Effect.gen(
  function*() {
    const root = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(join(tmpdir(), "shared-"))),
      (root) => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true }))
    )
    const one = Layer.fresh(Sandbox.layer({ root, quotaBytes: 4 * 4096 })).pipe(
      Layer.provide(SharedUsage.layer),
      Layer.provide(Layer.orDie(Sql.layer({ maxConnections: 2 })))
    )
    return [
      Context.get(yield* Layer.build(one), Sandbox),
      Context.get(yield* Layer.build(Layer.fresh(one)), Sandbox)
    ]
  }
)

const uploaded = (sandbox: Sandbox["Type"], name: string) =>
  Effect.scoped(Effect.gen(function*() {
    const incoming = yield* sandbox.receive(100_000)
    yield* incoming.assign(alice, name)
    yield* incoming.write(Buffer.from(block))
    return yield* incoming.commit
  }))

layer(Database.layer, { excludeTestServices: true })("Processes with one storage", (it) => {
  it.scoped("never keep more than a user may have, however their writes meet", () =>
    Effect.gen(function*() {
      const sandboxes = yield* processes
      // Both have measured the empty folder, and neither looks at the disk again before it would refuse.
      for (const sandbox of sandboxes) yield* sandbox.usage(alice)
      const writes = sandboxes.flatMap((sandbox, at) =>
        [1, 2, 3, 4].map((n) =>
          Effect.asVoid<unknown, SandboxRefused, never>(
            n % 2 === 0 ? uploaded(sandbox, `upload${at}${n}`) : sandbox.write(alice, `write${at}${n}`, block)
          )
        )
      )
      const exits = yield* Effect.forEach(writes, Effect.exit, { concurrency: "unbounded" })
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 4)
      for (const sandbox of sandboxes) assert.strictEqual((yield* sandbox.usage(alice)).usedBytes, 4 * 4096)
    }))

  it.scoped("know at once what one of them has deleted", () =>
    Effect.gen(function*() {
      const [one, other] = yield* processes
      assert(one !== undefined && other !== undefined)
      yield* one.clear(alice)
      yield* uploaded(one, "a.txt")
      yield* uploaded(other, "b.txt")
      assert.strictEqual((yield* uploaded(one, "c.txt")).usedBytes, 3 * 4096)
      yield* other.remove(alice, "b.txt")
      assert.strictEqual((yield* uploaded(one, "d.txt")).usedBytes, 3 * 4096)
      yield* one.clear(alice)
      assert.strictEqual((yield* uploaded(other, "e.txt")).usedBytes, 4096)
    }))
})
