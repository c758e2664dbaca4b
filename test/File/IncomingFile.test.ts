import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Scope, TestClock, TestServices } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { openDirectory } from "../../src/File/OpenDirectory.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import type { SandboxRefused } from "../../src/File/SandboxRefused.ts"
import { layerUploadCleanup } from "../../src/File/Upload.ts"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { alice, bob, inSandbox, test } from "./place.ts"

const block = 4_096
const blocks = (count: number) => Buffer.alloc(count * block, "x")
const maxBytes = 100 * block

const kindOf = <A>(work: Effect.Effect<A, SandboxRefused>) => Effect.map(Effect.flip(work), ({ kind }) => kind)

describe("An incoming file", () => {
  test("replaces the file of its name when it is committed, and is seen by nobody before", function*(p) {
    yield* p.sandbox.write(alice, "a.txt", "before")
    fs.chmodSync(p.at("a.txt"), 0o600)
    const committed = yield* Effect.scoped(Effect.gen(function*() {
      const incoming = yield* p.sandbox.receive(maxBytes)
      yield* incoming.assign(alice, "a.txt")
      yield* incoming.write(Buffer.from("af"))
      yield* incoming.write(Buffer.from("ter"))
      assert.strictEqual(fs.readFileSync(p.at("a.txt"), "utf8"), "before")
      assert.deepStrictEqual(fs.readdirSync(p.home), ["a.txt"])
      assert.lengthOf(p.temporaries(), 1)
      return yield* incoming.commit
    }))
    assert.deepInclude(committed.file, { name: "a.txt", path: "a.txt", kind: "file", size: 5 })
    assert.deepInclude(committed, { usedBytes: block, limitBytes: maxBytes })
    assert.strictEqual(fs.readFileSync(p.at("a.txt"), "utf8"), "after")
    assert.strictEqual(fs.statSync(p.at("a.txt")).mode & 0o777, 0o600)
    assert.deepStrictEqual(p.temporaries(), [])
  }, { quotaBytes: maxBytes })

  test("leaves nothing, and gives its space back, when it is not committed", function*(p) {
    for (let i = 0; i < 3; i++) {
      yield* Effect.scoped(Effect.gen(function*() {
        const incoming = yield* p.sandbox.receive(maxBytes)
        yield* incoming.assign(alice, "a.txt")
        yield* incoming.write(blocks(8))
      }))
    }
    assert.deepStrictEqual(p.temporaries(), [])
    assert.deepStrictEqual(fs.readdirSync(p.home), [])
    assert.deepInclude(yield* p.sandbox.usage(alice), { usedBytes: 0 })
  }, { quotaBytes: 10 * block })

  test("that is longer than what is written at once arrives byte for byte", function*(p) {
    const bytes = Buffer.from(Array.from({ length: 700_001 }, (_, i) => i % 251))
    const incoming = yield* p.sandbox.receive(bytes.length)
    yield* incoming.assign(alice, "a.txt")
    for (let at = 0; at < bytes.length; at += 99_991) yield* incoming.write(bytes.subarray(at, at + 99_991))
    yield* incoming.commit
    assert.isTrue(fs.readFileSync(p.at("a.txt")).equals(bytes))
  })

  test("never writes through a link, and never replaces a folder or a file with a second name", function*(p) {
    fs.symlinkSync(join(p.outside, "secret.txt"), p.at("link.txt"))
    fs.linkSync(join(p.outside, "secret.txt"), p.at("hard.txt"))
    fs.mkdirSync(p.at("folder.txt"))
    for (const name of ["link.txt", "hard.txt", "folder.txt"]) {
      yield* Effect.scoped(Effect.gen(function*() {
        const incoming = yield* p.sandbox.receive(maxBytes)
        yield* incoming.assign(alice, name)
        yield* incoming.write(Buffer.from("mine"))
        assert.strictEqual(yield* kindOf(Effect.scoped(incoming.commit)), "unsafe", name)
      }))
    }
    assert.deepStrictEqual(p.temporaries(), [])
  })

  test("counts only its size beyond that of the file that it replaces", function*(p) {
    yield* p.sandbox.write(alice, "a.txt", blocks(9))
    const { usedBytes } = yield* Effect.scoped(Effect.gen(function*() {
      const incoming = yield* p.sandbox.receive(maxBytes)
      yield* incoming.assign(alice, "a.txt")
      yield* incoming.write(blocks(10))
      return yield* incoming.commit
    }))
    assert.strictEqual(usedBytes, 10 * block)
    assert.strictEqual(
      yield* kindOf(Effect.scoped(Effect.flatMap(p.sandbox.receive(1), (one) => one.assign(alice, "b.txt")))),
      "quota"
    )
  }, { quotaBytes: 10 * block })

  test("counts for one user at a time when it is assigned again", function*(p) {
    const incoming = yield* p.sandbox.receive(maxBytes)
    yield* incoming.assign(alice, "a.txt")
    yield* incoming.write(blocks(8))
    yield* incoming.assign(bob, "a.txt")
    yield* p.sandbox.write(alice, "b.txt", blocks(9))
    assert.strictEqual(yield* kindOf(p.sandbox.write(bob, "b.txt", blocks(9))), "quota")
    assert.deepInclude((yield* incoming.commit).file, { path: "a.txt", size: 8 * block })
    assert.isTrue(fs.existsSync(join(p.root, "bob", "a.txt")))
  }, { quotaBytes: 10 * block })

  test("counts once when its disk is slow", function*(p) {
    yield* p.sandbox.write(alice, "a.txt", blocks(1))
    const { usedBytes } = yield* Effect.scoped(Effect.gen(function*() {
      const incoming = yield* p.sandbox.receive(maxBytes)
      yield* incoming.assign(alice, "b.txt")
      yield* incoming.write(blocks(2))
      return yield* incoming.commit
    }))
    assert.strictEqual(usedBytes, 3 * block)
  }, {
    openDirectory: (location, path) =>
      Effect.map(openDirectory(location, path), (folder) => ({
        ...folder,
        verify: Effect.zipRight(folder.verify, TestClock.adjust("2 minutes"))
      }))
  })

  it.live("that a killed process left is deleted at a start, one that is still arriving is not", () =>
    inSandbox({}, (p) =>
      Effect.gen(function*() {
        const scope = yield* Scope.Scope
        yield* Scope.extend(p.sandbox.receive(maxBytes), scope)
        fs.writeFileSync(join(p.root, ".uploads", "left"), "x")
        fs.utimesSync(join(p.root, ".uploads", "left"), 0, 0)
        assert.lengthOf(p.temporaries(), 2)
        yield* p.restart
        assert.lengthOf(p.temporaries(), 1)
        assert.notInclude(p.temporaries().join(), "left")
      })))

  it.scoped("that a killed process left is deleted while the service runs", () =>
    inSandbox({}, (p) =>
      Effect.gen(function*() {
        yield* Layer.build(layerUploadCleanup.pipe(
          Layer.provide([Layer.succeed(Sandbox, p.sandbox), ScheduledJobs.layerMemory])
        ))
        fs.mkdirSync(join(p.root, ".uploads"))
        fs.writeFileSync(join(p.root, ".uploads", "left"), "x")
        fs.utimesSync(join(p.root, ".uploads", "left"), 0, 0)
        const anHourLater = Effect.zipRight(
          TestClock.adjust("1 hour"),
          TestServices.provideLive(Effect.sleep("1 millis"))
        )
        yield* Effect.repeat(Effect.as(anHourLater, p.temporaries), {
          until: (temporaries) => temporaries().length === 0
        })
      })))
})
