import { assert, describe, it } from "@effect/vitest"
import { Cause, Console, Effect, Layer, Redacted } from "effect"
import { inspect } from "node:util"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import * as Telemetry from "../../src/Runtime/Telemetry/Telemetry.ts"

const secret = Redacted.make("hunter2")

/** Runs `effect` under the service's logging and answers the lines it printed. */
const printed = (settings: Record<string, string>, effect: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const real = yield* Console.consoleWith(Effect.succeed)
    const lines: Array<string> = []
    const print = (...parts: ReadonlyArray<unknown>) => {
      lines.push(parts.map((part) => typeof part === "string" ? part : inspect(part)).join(" "))
    }
    const logging = Layer.unwrapEffect(Effect.map(Settings, ({ log }) => Telemetry.layer(log))).pipe(
      Layer.provide(Settings.layerFrom(settings))
    )
    yield* effect.pipe(
      Effect.provide(logging),
      Effect.withConsole({ ...real, unsafe: { ...real.unsafe, log: print, group: print } })
    )
    return lines
  })

const json = (effect: Effect.Effect<void>) =>
  Effect.map(
    printed({ LOG_FORMAT: "json" }, effect),
    (lines) => lines.map((line): Record<string, unknown> => JSON.parse(line))
  )

describe("Telemetry", () => {
  it.effect("writes one line of JSON an entry, annotations under their own names", () =>
    Effect.gen(function*() {
      const lines = yield* json(
        Effect.logInfo("step", "done\nwith a second line").pipe(Effect.annotateLogs({ task_id: "t1", epoch: 3 }))
      )
      assert.deepStrictEqual(lines, [{
        time: "1970-01-01T00:00:00.000Z",
        level: "info",
        message: "step done\nwith a second line",
        task_id: "t1",
        epoch: 3
      }])
    }))

  it.effect("renames an annotation that has the name of a field of the entry", () =>
    Effect.gen(function*() {
      const [line] = yield* json(Effect.logWarning("real").pipe(Effect.annotateLogs("message", "pretended")))
      assert.deepInclude(line, { level: "warning", message: "real", annotation_message: "pretended" })
    }))

  it.effect("shows causes, spans and what JSON can't hold", () =>
    Effect.gen(function*() {
      const circular: { self?: unknown } = {}
      circular.self = circular
      const [line] = yield* json(
        Effect.logError({ big: 1n, circular, error: new RangeError("odd") }, Cause.die(new Error("boom"))).pipe(
          Effect.withLogSpan("work")
        )
      )
      assert.deepStrictEqual(line?.["message"], {
        big: "1",
        circular: { self: "[repeated]" },
        error: "RangeError: odd"
      })
      assert.match(String(line?.["cause"]), /^Error: boom/)
      assert.deepStrictEqual(line?.["spans"], { work: 0 })
    }))

  it.effect("writes an entry despite a value that can't be encoded", () =>
    Effect.gen(function*() {
      const refusing = {
        toJSON: () => {
          throw new Error("no")
        }
      }
      const [line] = yield* json(Effect.logInfo(refusing))
      assert.strictEqual(line?.["message"], "an entry that can't be written as JSON")
    }))

  for (const format of ["json", "pretty"]) {
    it.effect(`never shows a secret in ${format}`, () =>
      Effect.gen(function*() {
        const lines = yield* printed(
          { LOG_FORMAT: format },
          Effect.logInfo("with", secret, { nested: { secret } }).pipe(Effect.annotateLogs({ secret, task_id: "t1" }))
        )
        const all = lines.join("\n")
        assert.include(all, "<redacted>")
        assert.include(all, "t1")
        assert.notInclude(all, "hunter2")
      }))
  }

  it.effect("leaves out what is below LOG_LEVEL", () =>
    Effect.gen(function*() {
      const entries = Effect.all([
        Effect.logDebug("a"),
        Effect.logInfo("b"),
        Effect.logWarning("c"),
        Effect.logError("d")
      ])
      const messages = (level: string) =>
        Effect.map(
          printed({ LOG_FORMAT: "json", LOG_LEVEL: level }, Effect.asVoid(entries)),
          (lines) => lines.map((line) => JSON.parse(line).message).join("")
        )
      assert.strictEqual(yield* messages("debug"), "abcd")
      assert.strictEqual(yield* messages("info"), "bcd")
      assert.strictEqual(yield* messages("warning"), "cd")
      assert.strictEqual(yield* messages("error"), "d")
    }))
})
