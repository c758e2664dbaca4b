import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { env } from "node:process"
import { type ProcessCommand, type ProcessOptions, run, start } from "../../src/Runtime/Process/ChildProcess.ts"
import { posix } from "../support/Need.ts"
import { isAlive } from "../support/ToolServerFixture.ts"

const shell = (script: string): ProcessCommand => ({
  program: "/bin/sh",
  args: ["-c", script],
  env: { PATH: env["PATH"] ?? "" },
  cwd: "/"
})

const options: ProcessOptions = { watchdog: null, tracking: "environment", grace: "200 millis" }

const limits = { ...options, timeout: "20 seconds", maxOutputBytes: 1_000 } as const

/** Writes its id once it ignores SIGTERM. */
const stubborn = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.1; done'"

describe.skipIf(posix.isMissing)(posix.named("A child process"), () => {
  it.live("reads its input, and returns its outputs and its exit code", () =>
    Effect.gen(function*() {
      const script = shell("read -r line; echo \"$line\"; echo warning >&2; exit 3")
      const { code, stderr, stdout, stopped } = yield* run(script, { ...limits, input: [Buffer.from("in\n")] })
      assert.deepStrictEqual([`${stdout}`, `${stderr}`, code, stopped], ["in\n", "warning\n", 3, null])
    }))

  it.live("is stopped at its time-out, its output limit, or when its monitor says so", () =>
    Effect.gen(function*() {
      const slow = yield* run(shell("sleep 60"), { ...limits, timeout: "100 millis" })
      assert.deepStrictEqual([slow.stopped, slow.signal], ["timeout", "SIGTERM"])
      const loud = yield* run(shell("while :; do echo 0123456789; done"), limits)
      assert.deepStrictEqual([loud.stopped, loud.stdout.length], ["output", 1_000])
      const monitored = yield* run(shell("sleep 60"), { ...limits, monitor: () => Effect.succeed("enough") })
      assert.strictEqual(monitored.stopped, "enough")
    }))

  it.live("fails to start with the system's code", () =>
    Effect.gen(function*() {
      const failure = yield* Effect.flip(run({ ...shell(""), program: "/no/such" }, limits))
      assert.strictEqual(failure.code, "ENOENT")
    }))

  it.live("is known to the watchdog from before its start", () =>
    Effect.gen(function*() {
      const known: Array<number | null> = []
      const watchdog: ProcessOptions["watchdog"] = { guard: (_id, { group }) => known.push(group), release: () => {} }
      const pid = yield* Effect.scoped(Effect.map(start(shell("exit 0"), { ...options, watchdog }), ({ pid }) => pid))
      assert.deepStrictEqual(known, [null, pid])
    }))

  it.live("leaves nothing behind, also if it is interrupted while it is being stopped", () =>
    Effect.gen(function*() {
      const pid = yield* Deferred.make<number>()
      const fiber = yield* Effect.fork(Effect.scoped(Effect.gen(function*() {
        const child = yield* start(shell(`${stubborn} & exit 3`), options)
        child.stdout.once("data", (chunk: Buffer) => Deferred.unsafeDone(pid, Effect.succeed(Number(`${chunk}`))))
        yield* Deferred.await(pid)
        yield* child.exit
      })))
      const left = yield* Deferred.await(pid)
      yield* Effect.sleep(Duration.millis(50))
      assert.isTrue(isAlive(left))
      yield* Fiber.interrupt(fiber)
      assert.isFalse(isAlive(left))
    }))
})
