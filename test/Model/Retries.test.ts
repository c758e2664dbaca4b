import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Option, Redacted } from "effect"
import type { Fault } from "../../src/Model/IncomingBody.ts"
import { Model } from "../../src/Model/Model.ts"
import { type ModelRetry, OnModelRetry } from "../../src/Model/ModelRetry.ts"
import { CallTimeLeft } from "../../src/Runtime/CallTimeLeft.ts"
import type { CallSettings } from "../support/ModelServer.ts"
import { type Reply, scriptedHttp } from "../support/ScriptedHttp.ts"
import { languageModel } from "./remote.ts"

const key = "sk-a-key-that-nobody-may-see"

const settings: CallSettings = {
  temperature: 1,
  maxRetries: 4,
  totalTimeout: Duration.infinity,
  requestTimeout: Duration.seconds(120),
  provider: {
    _tag: "gemini",
    baseUrl: "http://provider/v1/",
    apiKey: Option.some(Redacted.make(key)),
    model: "a-model",
    embeddingModel: "an-embedding"
  }
}

const good: Reply = { status: 200, body: "{\"choices\":[{\"message\":{\"content\":\"Yes.\"}}]}" }
const busy = (headers: Record<string, string>, body = ""): Reply => ({ status: 429, headers, body })

/** A clock on which every pause ends at once, and is noted. */
const makeNotedClock = () => {
  const pauses: Array<number> = []
  const now = () => pauses.reduce((sum, pause) => sum + pause, 0)
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: now,
    unsafeCurrentTimeNanos: () => BigInt(now()) * 1_000_000n,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    sleep: (pause) => Effect.sync(() => void pauses.push(Math.round(Duration.toMillis(pause))))
  }
  return { clock, pauses }
}

/** Calls the model over HTTP that plays replies and faults in turn, the last for ever. */
const play = (...script: ReadonlyArray<Fault | Reply>) => playWith(settings, Duration.infinity, ...script)

const playWith = (settings: CallSettings, limit: Duration.Duration, ...script: ReadonlyArray<Fault | Reply>) =>
  Effect.gen(function*() {
    let calls = 0
    const retries: Array<ModelRetry> = []
    const http = scriptedHttp(() => script[Math.min(calls++, script.length - 1)] ?? good)
    const { clock, pauses } = makeNotedClock()
    const result = yield* Effect.flatMap(
      Model,
      (model) => model.generate({ system: "", messages: [{ role: "user", content: "Well?" }], tools: { tools: [] } })
    ).pipe(
      Effect.provide(Layer.provide(languageModel(settings), http)),
      Effect.provideService(OnModelRetry, (retry) => Effect.sync(() => void retries.push(retry))),
      Effect.provideService(CallTimeLeft, () => Duration.toMillis(limit) - clock.unsafeCurrentTimeMillis()),
      Effect.withClock(clock),
      Effect.either
    )
    return { result, pauses, calls, retries, message: result._tag === "Left" ? result.left.message : "" }
  })

describe("retries", () => {
  it.effect("come after pauses that double, within the jitter", () =>
    Effect.gen(function*() {
      const { calls, pauses, result } = yield* play({ status: 503, body: "" })
      assert.strictEqual(result._tag, "Left")
      assert.strictEqual(calls, 5)
      assert.lengthOf(pauses, 4)
      for (const [index, pause] of pauses.entries()) {
        assert.isAtLeast(pause, 500 * 2 ** index * 0.8)
        assert.isAtMost(pause, 500 * 2 ** index * 1.2)
      }
    }))

  it.effect("are told to the caller before the pause: why, which attempt comes, and when", () =>
    Effect.gen(function*() {
      const { pauses, retries } = yield* play(
        { status: 503, body: "" },
        { kind: "unreachable", detail: "ECONNREFUSED" },
        good
      )
      assert.deepStrictEqual(retries, [
        { call: "model", reason: "Google failed (503)", attempt: 2, attempts: 5, pause: pauses[0] ?? 0 },
        {
          call: "model",
          reason: "Google could not be reached or hung up (ECONNREFUSED)",
          attempt: 3,
          attempts: 5,
          pause: pauses[1] ?? 0
        }
      ])
      const { retries: none } = yield* play({ status: 401, body: "" })
      assert.deepStrictEqual(none, [])
    }))

  it.effect("wait as long as the provider asks, in whichever form it asks", () =>
    Effect.gen(function*() {
      const { pauses, result } = yield* play(
        busy({ "retry-after": "7" }),
        busy({ "retry-after": "Thu, 01 Jan 1970 00:00:20 GMT" }),
        busy({ "retry-after-ms": "1500" }),
        busy({}, "{\"error\":{\"details\":[{\"retryDelay\": \"21s\"}]}}"),
        good
      )
      assert.strictEqual(result._tag, "Right")
      assert.deepStrictEqual(pauses, [7000, 13000, 1500, 21000])
    }))

  it.effect("wait for minutes where there is time, and are not made where the provider asks for more than is left", () =>
    Effect.gen(function*() {
      const limit = Duration.seconds(255)
      assert.deepStrictEqual((yield* playWith(settings, limit, busy({ "retry-after": "150" }), good)).pauses, [150_000])
      const { calls, message, result } = yield* playWith(settings, limit, busy({ "retry-after": "3600" }))
      assert.strictEqual(result._tag === "Left" ? result.left._tag : "", "ModelUnavailable")
      assert.include(message, "asks to wait 1h")
      assert.strictEqual(calls, 1)
    }))

  it.effect("end within the time for all of them, so that the provider's reason is what the task fails with", () =>
    Effect.gen(function*() {
      const patient = { ...settings, maxRetries: 50 }
      const replies: ReadonlyArray<Reply> = [
        busy({ "retry-after": "100" }),
        busy({ "retry-after": "1" }),
        busy({}),
        { status: 500, headers: { "retry-after": "120" }, body: "" },
        { status: 503, body: "" }
      ]
      for (const reply of replies) {
        const { calls, message, pauses, result } = yield* playWith(patient, Duration.seconds(255), reply)
        assert.strictEqual(result._tag === "Left" ? result.left._tag : "", "ModelUnavailable")
        assert.include(message, `(${reply.status})`)
        assert.include(message, `${calls} times in a row`)
        assert.isAbove(calls, 2)
        assert.isBelow(pauses.reduce((sum, pause) => sum + pause, 0), 255_000)
      }
    }))

  it.effect("end within a time of their own where the caller has no limit", () =>
    Effect.gen(function*() {
      const limited = { ...settings, maxRetries: 50, totalTimeout: Duration.seconds(255) }
      const unlimited = (...script: ReadonlyArray<Reply>) => playWith(limited, Duration.infinity, ...script)
      const tooLong = yield* unlimited(busy({ "retry-after": "21600" }))
      assert.include(tooLong.message, "asks to wait 6h")
      assert.deepStrictEqual([tooLong.calls, tooLong.pauses], [1, []])
      const { pauses, result } = yield* unlimited(busy({ "retry-after": "100" }))
      assert.strictEqual(result._tag, "Left")
      assert.deepStrictEqual(pauses, [100_000, 100_000])
    }))

  it.effect("follow a time-out, a lost connection and an unreadable answer", () =>
    Effect.gen(function*() {
      const { calls, result } = yield* play(
        { kind: "timedOut", detail: "2m" },
        { kind: "unreachable", detail: "ECONNRESET" },
        { ...good, body: "<html>" },
        good
      )
      assert.strictEqual(result._tag, "Right")
      assert.strictEqual(calls, 4)
    }))

  it.effect("end with a sentence that names the cause and the fix", () =>
    Effect.gen(function*() {
      const { message } = yield* play({ kind: "unreachable", detail: "ECONNREFUSED" })
      assert.strictEqual(
        message,
        "Google could not be reached or hung up (ECONNREFUSED), 5 times in a row. Check GEMINI_BASE_URL and the network."
      )
    }))
})

describe("errors", () => {
  it.effect("name the key's setting, also where Google answers 400", () =>
    Effect.gen(function*() {
      const body = "[{\"error\":{\"code\":400,\"message\":\"API key not valid. Please pass a valid API key.\"}}]"
      const { message } = yield* play({ status: 400, body })
      assert.strictEqual(message, "Google refused the key (400): check GEMINI_API_KEY.")
    }))
})
