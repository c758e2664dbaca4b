import { assert, describe, it } from "@effect/vitest"
import { Either, Option, Redacted } from "effect"
import { Effect } from "effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import { Sealing } from "../../src/Runtime/Sealing.ts"
import { freshFolder } from "../support/FreshFolder.ts"

describe("Sealing", () => {
  const sealing = (key: string | null) =>
    Effect.runSync(Sealing.pipe(Effect.provide(Sealing.layer(Option.map(Option.fromNullable(key), Redacted.make)))))
  const secret = Redacted.make("hush hush")

  it("decrypts a value with the same key and in the same place only", () => {
    const sealed = sealing("one").seal(secret, "here")
    assert.notInclude(JSON.stringify(sealed), "hush")
    assert.strictEqual(Redacted.value(Either.getOrThrow(sealing("one").open(sealed, "here"))), "hush hush")
    for (const [key, place] of [["two", "here"], ["one", "there"], [null, "here"]] as const) {
      assert.deepStrictEqual(sealing(key).open(sealed, place), Either.left("unreadable"))
    }
    assert.notDeepEqual(sealing("one").seal(secret, "here"), sealed)
  })

  it.scoped("makes a key that only its owner can read, once, and reads it from then on", () =>
    Effect.gen(function*() {
      const path = join(yield* freshFolder, "data", "secrets.key")
      const own = () => Effect.provide(Sealing, Sealing.layerFile(path))
      const sealed = (yield* own()).seal(secret, "here")
      assert.notInclude(JSON.stringify(sealed), "hush")
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.strictEqual(Redacted.value(Either.getOrThrow((yield* own()).open(sealed, "here"))), "hush hush")
    }))

  it("keeps a secret as it is without a key, and reads it still when there is one", () => {
    const kept = sealing(null).seal(secret, "here")
    assert.deepStrictEqual(kept, { plain: "hush hush" })
    assert.isTrue(Either.isRight(sealing("one").open(kept, "here")))
  })

  it("does not decrypt a value that was modified", () => {
    const sealed = sealing("one").seal(secret, "here")
    const bytes = Buffer.from("sealed" in sealed ? sealed.sealed : "", "base64")
    bytes[20] = (bytes[20] ?? 0) ^ 1
    assert.isTrue(Either.isLeft(sealing("one").open({ sealed: bytes.toString("base64") }, "here")))
    assert.isTrue(Either.isLeft(sealing("one").open({ sealed: "" }, "here")))
  })
})
