import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { linux } from "../support/Need.ts"
import { confinements, makeFixture, printed, withWord } from "./scripts.ts"

describe.skipIf(linux.isMissing)(linux.named("A script with too many processes"), () => {
  it.scopedLive("is killed at once, without time to start more", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture({
        "bomb.sh": "trap 'echo stopping' TERM\nfor i in $(seq 400); do sleep 300 & done\nwhile :; do sleep 0.1; done"
      })
      for (const confinement of confinements) {
        // As where the service is not root.
        const options = confinement._tag === "bubblewrap" ? confinement : { ...confinement, hasOwnAccount: false }
        const word = randomUUID()
        const bomb = yield* fixture.run({ confinement: options }, { args: [word] })
        if (bomb.stopped === "processes") assert.notInclude(bomb.output, "stopping")
        else assert.notStrictEqual(bomb.code, 0)
        assert.isEmpty(withWord(word))
      }
    }))
})

for (const confinement of confinements) {
  const options = { confinement }
  const confined = confinement._tag === "bubblewrap"

  describe(`A script under ${confinement._tag}`, () => {
    it.scopedLive("is stopped when the folder has more in it than it may", () =>
      Effect.gen(function*() {
        const fixture = yield* makeFixture({ "fill.sh": "echo x > filled\nwhile :; do sleep 0.1; done" })
        const isOverfull = Effect.sync(() => fs.existsSync(join(fixture.folder, "filled")))
        assert.strictEqual((yield* fixture.run(options, { isOverfull })).stopped, "space")
      }))

    it.scopedLive.skipIf(linux.isMissing)(
      linux.named("leaves no process behind that cleared its environment"),
      () =>
        Effect.gen(function*() {
          const word = randomUUID()
          const fixture = yield* makeFixture({
            "hide.py": [
              "import subprocess, sys, time",
              "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)', sys.argv[1]], env={}, start_new_session=True)",
              "time.sleep(3)",
              "print('done')"
            ].join("\n")
          })
          assert.strictEqual(printed(yield* fixture.run(options, { args: [word] })), "done")
          assert.isEmpty(withWord(word))
        })
    )

    it.scopedLive("is stopped with all of its processes when it times out", () =>
      Effect.gen(function*() {
        const word = randomUUID()
        const fixture = yield* makeFixture({
          "slow.sh": `trap 'echo stopping; exit 3' TERM\nsh -c 'sleep 300 # ${word}' &\n`
            + `(trap '' TERM; exec setsid sleep 301.0 ${word} 2>/dev/null || sleep 300) &\necho begun\nwhile :; do sleep 0.1; done`
        })
        const ended = yield* fixture.run(options, { seconds: 3, args: [word] })
        assert.strictEqual(ended.stopped, "timeout")
        assert.strictEqual(ended.output, "begun\nstopping\n")
        if (!linux.isMissing) assert.isEmpty(withWord(word))
      }))

    it.scopedLive("that ignores SIGTERM is killed, and so is one whose caller is interrupted", () =>
      Effect.gen(function*() {
        const word = randomUUID()
        const fixture = yield* makeFixture({ "deaf.sh": "trap '' TERM\nwhile :; do sleep 0.1; done" })
        assert.strictEqual((yield* fixture.run(options, { seconds: 1, args: [word] })).stopped, "timeout")
        const fiber = yield* Effect.fork(fixture.run(options, { args: [word] }))
        if (!linux.isMissing) {
          yield* Effect.repeat(Effect.delay(Effect.sync(() => withWord(word)), "50 millis"), {
            until: (all) => all.length > 0
          })
        }
        yield* Fiber.interrupt(fiber)
        if (!linux.isMissing) assert.isEmpty(withWord(word))
      }))

    it.scopedLive("leaves nothing running behind it when it ends by itself", () =>
      Effect.gen(function*() {
        const word = randomUUID()
        const fixture = yield* makeFixture({
          "fork.py":
            `import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 300 # ${word}'], start_new_session=True)\nprint('done')`
        })
        assert.strictEqual(printed(yield* fixture.run(options)), "done")
        if (!linux.isMissing) assert.isEmpty(withWord(word))
      }))

    it.scopedLive("is stopped when it prints without end", () =>
      Effect.gen(function*() {
        const fixture = yield* makeFixture({ "flood.sh": "yes 0123456789" })
        const ended = yield* fixture.run(options)
        assert.strictEqual(ended.stopped, "output")
        assert.lengthOf(ended.output, 1024 * 1024)
      }))

    it.scopedLive("is stopped by the first byte too many, also behind output of just the length that is kept", () =>
      Effect.gen(function*() {
        const fixture = yield* makeFixture({
          "brim.sh": "head -c 1048576 /dev/zero\nsleep 0.2\nprintf x\nsleep 300"
        })
        const ended = yield* fixture.run(options, { script: "brim.sh" })
        assert.strictEqual(ended.stopped, "output")
        assert.lengthOf(ended.output, 1024 * 1024)
      }))

    it.scopedLive.skipIf(linux.isMissing)(
      linux.named("is stopped when it starts processes without end, or takes too much memory"),
      () =>
        Effect.gen(function*() {
          const word = randomUUID()
          const fixture = yield* makeFixture({
            "bomb.sh": "for i in $(seq 400); do sleep 300 & done\nwait",
            "greedy.py": "a = []\nwhile True: a.append(bytes([1]) * 50_000_000)"
          })
          const bomb = yield* fixture.run(options, { script: "bomb.sh", args: [word] })
          // The kernel refuses more, or the watch on it stops it: who is faster depends on who runs the service.
          assert.isTrue(bomb.stopped === "processes" || (bomb.code ?? 0) !== 0)
          assert.isEmpty(withWord(word))
          const greedy = yield* fixture.run(options, { script: "greedy.py" })
          assert.isTrue(greedy.stopped === "memory" || greedy.errors.includes("MemoryError"))
        })
    )

    if (!confined) {
      it.scopedLive("is stopped when it fills its temporary folder", () =>
        Effect.gen(function*() {
          const fixture = yield* makeFixture({
            "fill.sh": "head -c 67108865 /dev/zero > $TMPDIR/large\nwhile :; do sleep 0.1; done"
          })
          assert.strictEqual((yield* fixture.run(options, { fileBytes: 2 ** 27 })).stopped, "space")
        }))
    }
  })
}
