import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import * as fs from "node:fs"
import { join, relative } from "node:path"
import { type DirectoryOpener, openHeld, openNamed } from "../../src/File/OpenDirectory.ts"
import { Sandbox, type SandboxOptions } from "../../src/File/Sandbox.ts"
import { freshFolder } from "../support/FreshFolder.ts"

export const alice = UserId.make("alice")
export const bob = UserId.make("bob")
export const secret = "the canary sings"

/** Every way of opening folders that this system has. */
const ways: ReadonlyArray<readonly [string, DirectoryOpener]> = process.platform === "linux"
  ? [["held folders", openHeld], ["named folders", openNamed]]
  : [["named folders", openNamed]]

export interface Place {
  readonly sandbox: Sandbox["Type"]
  readonly base: string
  readonly root: string
  readonly outside: string
  readonly home: string
  readonly at: (name: string) => string
  /** What a new process does with the same folder. */
  readonly restart: Effect.Effect<void>
  readonly temporaries: () => ReadonlyArray<string>
  readonly assertUntouched: () => void
}

/** A root with the folders of two users, and beside it a folder that nobody may touch. */
const place = (options: Partial<SandboxOptions>): Effect.Effect<Place, never, Scope.Scope> =>
  Effect.gen(function*() {
    const base = yield* freshFolder
    const root = join(base, "users")
    const outside = join(base, "outside")
    const home = join(root, "alice")
    for (const folder of [outside, home, join(root, "bob")]) fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(join(outside, "secret.txt"), secret)
    fs.writeFileSync(join(root, "bob", "secret.txt"), secret)
    const open = Effect.provide(Sandbox, Sandbox.layer({ root, ...options }))
    const sandbox = yield* open
    return {
      restart: Effect.asVoid(open),
      sandbox,
      base,
      root,
      outside,
      home,
      at: (name) => join(home, name),
      // With the types of the entries, links are not followed; a test makes one that leads back.
      temporaries: () =>
        fs.readdirSync(base, { recursive: true, withFileTypes: true })
          .map(({ name, parentPath }) => join(relative(base, parentPath), name))
          .filter((name) => /\.uploads\//.test(name)),
      assertUntouched: () => {
        assert.deepStrictEqual(fs.readdirSync(base).sort(), ["outside", "users"])
        assert.deepStrictEqual(fs.readdirSync(outside), ["secret.txt"])
        for (const file of [join(outside, "secret.txt"), join(root, "bob", "secret.txt")]) {
          assert.strictEqual(fs.readFileSync(file, "utf8"), secret)
        }
        assert.isEmpty(fs.readdirSync(root).filter((name) => !["alice", "bob", "carol", ".uploads"].includes(name)))
      }
    }
  })

/** Runs a test in a sandbox of its own and sees afterwards that nothing outside was touched. */
export const inSandbox = <A, E>(
  options: Partial<SandboxOptions>,
  test: (place: Place) => Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.scoped(
    Effect.flatMap(place(options), (found) => Effect.tap(test(found), () => Effect.sync(found.assertUntouched)))
  )

/** A test in a sandbox of its own. */
export const test = (
  name: string,
  body: (place: Place) => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope>>, unknown, never>,
  options: Partial<SandboxOptions> = {}
) => it.effect(name, () => inSandbox(options, (place) => Effect.gen(() => body(place))))

/** Tests that are run once for every way of opening folders. */
export const eachWay = (
  title: string,
  tests: (inThisWay: typeof test, openDirectory: DirectoryOpener) => void
): void => {
  for (const [way, openDirectory] of ways) {
    describe(`${title} with ${way}`, () =>
      tests((name, body, options) => test(name, body, { openDirectory, ...options }), openDirectory))
  }
}
