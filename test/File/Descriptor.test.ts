import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { open } from "../../src/File/Descriptor.ts"
import { freshFolder } from "../support/FreshFolder.ts"

const file = Effect.map(
  freshFolder,
  (folder) => {
    fs.writeFileSync(join(folder, "f"), "one two")
    return join(folder, "f")
  }
)

const isOpen = (fd: number) => Effect.isSuccess(Effect.try(() => fs.fstatSync(fd)))

it.scoped("is closed at the end of its scope", () =>
  Effect.gen(function*() {
    const location = yield* file
    const fd = yield* Effect.scoped(Effect.gen(function*() {
      const descriptor = yield* open(location, fs.constants.O_RDONLY, "f")
      assert.strictEqual((yield* descriptor.status).size, 7)
      assert.isTrue(yield* isOpen(descriptor.fd))
      return descriptor.fd
    }))
    assert.isFalse(yield* isOpen(fd))
  }))

it.scoped("stays open while an operation is running, so that no other file gets its descriptor", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const descriptor = yield* Scope.extend(open(yield* file, fs.constants.O_RDONLY, "f"), scope)
    const into = new Uint8Array(7)
    const reading = Effect.runFork(descriptor.read(into, 0))
    // Nothing but this runs between the two: the answer waits for the event loop.
    Effect.runSync(Scope.close(scope, Exit.void))
    assert.isTrue(Effect.runSync(isOpen(descriptor.fd)))
    assert.strictEqual(yield* Fiber.join(reading), 7)
    assert.strictEqual(new TextDecoder().decode(into), "one two")
    assert.isFalse(yield* isOpen(descriptor.fd))
  }))

it.scoped("refuses a missing file with a reason that a model understands", () =>
  Effect.gen(function*() {
    const refused = yield* Effect.flip(open(`${yield* file}s`, fs.constants.O_RDONLY, "notes.txt"))
    assert.strictEqual(refused.kind, "missing")
    assert.strictEqual(refused.message, "\"notes.txt\": there is no such file or folder.")
  }))
