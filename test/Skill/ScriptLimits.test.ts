import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { execPath } from "node:process"
import { Watchdog } from "../../src/Runtime/Process/Watchdog.ts"
import { runScript, type ScriptCommand } from "../../src/Skill/ScriptProcess.ts"
import { linux } from "../support/Need.ts"
import { until } from "../support/Processes.ts"
import { bubblewrap, confinements, makeFixture, nameOf, printed, withWord } from "./scripts.ts"

describe.each(confinements.map((one) => [nameOf(one), one] as const))("A script under %s", (_name, confinement) => {
  const options = { confinement }

  it.scopedLive("is stopped when the folder has more in it than it may", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture({ "fill.sh": "echo x > filled\nwhile :; do sleep 0.1; done" })
      const isOverfull = Effect.sync(() => fs.existsSync(join(fixture.folder, "filled")))
      assert.strictEqual((yield* fixture.run(options, { isOverfull })).stopped, "space")
    }))

  it.scopedLive("leaves no process behind when it ends, also if one cleared its environment", () =>
    Effect.gen(function*() {
      const word = randomUUID()
      const fixture = yield* makeFixture({
        "hide.py": [
          "import os, subprocess, sys, time",
          "sleeping = [sys.executable, '-c', 'import time; time.sleep(300)', sys.argv[1]]",
          "subprocess.Popen(sleeping, start_new_session=True)",
          "subprocess.Popen(sleeping, env={}, start_new_session=True)",
          "while not os.path.exists('go'): time.sleep(0.05)",
          "print('done')"
        ].join("\n")
      })
      // Processes are looked at every 250 ms, the folder every 100 ms.
      let measurements = 0
      const isOverfull = Effect.sync(() => {
        if (++measurements === 8) fs.writeFileSync(join(fixture.folder, "go"), "")
        return false
      })
      assert.strictEqual(printed(yield* fixture.run(options, { args: [word], isOverfull })), "done")
      if (!linux.isMissing) assert.isEmpty(withWord(word))
    }))

  it.scopedLive("is stopped with all of its processes when it times out", () =>
    Effect.gen(function*() {
      const word = randomUUID()
      const fixture = yield* makeFixture({
        "slow.sh": `trap 'echo stopping; exit 3' TERM\nsh -c 'sleep 300 # ${word}' &\n`
          + `(trap '' TERM; exec setsid sleep 301.0 ${word} 2>/dev/null || sleep 300) &\necho begun\nwhile :; do sleep 0.1; done`
      })
      const ended = yield* fixture.run(options, { seconds: 2, args: [word] })
      assert.strictEqual(ended.stopped, "timeout")
      assert.strictEqual(ended.output, "begun\nstopping\n")
      if (!linux.isMissing) assert.isEmpty(withWord(word))
    }))

  it.scopedLive.skipIf(linux.isMissing)(
    linux.named("is stopped when its caller is interrupted"),
    () =>
      Effect.gen(function*() {
        const word = randomUUID()
        const fixture = yield* makeFixture({ "endless.sh": "while :; do sleep 0.1; done" })
        const fiber = yield* Effect.fork(fixture.run(options, { args: [word] }))
        yield* until("it runs", Effect.sync(() => withWord(word).length > 0))
        yield* Fiber.interrupt(fiber)
        assert.isEmpty(withWord(word))
      })
  )

  it.scopedLive("is stopped by the first byte too many, also behind output of just the length that is kept", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture({ "brim.sh": "head -c 1048576 /dev/zero\nsleep 0.2\nprintf x\nsleep 300" })
      const ended = yield* fixture.run(options)
      assert.strictEqual(ended.stopped, "output")
      assert.lengthOf(ended.output, 1024 * 1024)
    }))

  it.scopedLive.skipIf(linux.isMissing)(
    linux.named("is killed at once when it starts processes without end"),
    () =>
      Effect.gen(function*() {
        const word = randomUUID()
        const fixture = yield* makeFixture({
          "bomb.sh": "trap 'echo stopping' TERM\nfor i in $(seq 400); do sleep 300 & done\nwhile :; do sleep 0.1; done"
        })
        const bomb = yield* fixture.run(options, { args: [word] })
        // The kernel refuses more, or the watch on it stops it: who is faster depends on who runs the service.
        if (bomb.stopped === "processes") assert.notInclude(bomb.output, "stopping")
        else assert.notStrictEqual(bomb.code, 0)
        assert.isEmpty(withWord(word))
      })
  )

  it.scopedLive("is stopped when it fills its temporary folder", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture({
        "fill.sh": "head -c 67108865 /dev/zero > $TMPDIR/large\nwhile :; do sleep 0.1; done"
      })
      assert.strictEqual((yield* fixture.run(options, { fileBytes: 2 ** 27 })).stopped, "space")
    }))
})

it.scopedLive.skipIf(bubblewrap.isMissing)(
  bubblewrap.named("A script gets no memory beyond the limit of a process"),
  () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture({ "greedy.py": "a = []\nwhile True: a.append(bytes([1]) * 50_000_000)" })
      const greedy = yield* fixture.run({ confinement: confinements[0] ?? null })
      assert.isTrue(greedy.stopped === "memory" || greedy.errors.includes("MemoryError"))
    })
)

it.scopedLive.skipIf(linux.isMissing)(
  linux.named("A script is stopped when its processes take too much memory together"),
  () =>
    Effect.gen(function*() {
      const part = `"${execPath}" -e 'globalThis.kept = Buffer.alloc(6e7, 1); setInterval(() => {}, 1000)'`
      const command: ScriptCommand = {
        program: "/bin/sh",
        args: ["-c", `${part} & ${part} & wait`],
        env: {},
        cwd: "/",
        temporaryFolder: "/nowhere",
        writtenFolder: "/nowhere",
        launchers: null
      }
      const limits = {
        seconds: 30,
        outputBytes: 1000,
        processes: 9,
        memoryBytes: 150e6,
        isOverfull: Effect.succeed(false)
      }
      const watchdog = Context.get(yield* Layer.build(Watchdog.layer), Watchdog)
      assert.strictEqual((yield* runScript(command, limits, watchdog)).stopped, "memory")
    })
)
