import { assert, describe, it } from "@effect/vitest"
import { Array as Arrays, type Clock, Context, Duration, Effect, Layer, Option } from "effect"
import * as LanguageModel from "../../src/apps/LanguageModel.ts"
import { chosen, Model, type ModelRequest, noTools } from "../../src/Model/Model.ts"
import { ModelRegistry } from "../../src/Model/ModelRegistry.ts"
import { type ModelRetry, OnModelRetry } from "../../src/Model/ModelRetry.ts"
import type { StoredModel } from "../../src/Model/StoredModels.ts"
import { CallTimeLeft } from "../../src/Runtime/CallTimeLeft.ts"
import { bodyOf, type Reply, scriptedHttp } from "../support/ScriptedHttp.ts"
import { fixedModels, quiet, storedModel } from "./registry.ts"

const good = (text: string): Reply => ({
  status: 200,
  body: JSON.stringify({
    choices: [{ message: { content: text } }],
    usage: { prompt_tokens: 100, completion_tokens: 10 }
  })
})
const end = { choices: [{ delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 100, completion_tokens: 10 } }

/** A stream that ends with these events, or in the middle. */
const streamed = (text: string, ...ends: ReadonlyArray<unknown>): Reply => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body: [{ choices: [{ delta: { content: text } }] }, ...ends].map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join("")
})

const down: Reply = { status: 503, body: "" }

/** A clock on which every pause ends at once, and time passes by pauses alone. */
const makeClock = () => {
  let now = 0
  const pass = (millis: number) => void (now += millis)
  const clock: Clock.Clock = {
    ...Effect.runSync(Effect.clock),
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(Math.round(now)) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(Math.round(now)) * 1_000_000n),
    sleep: (pause) => Effect.sync(() => pass(Duration.toMillis(pause)))
  }
  return { clock, pass }
}

const modelAt = (host: string, more: Partial<StoredModel> = {}) =>
  storedModel({ url: `http://${host}/v1` }, { model: host, ...more })

/** Three models, `a` first, whose hosts reply in turn; the last reply of each again and again. */
const world = (
  replies: Readonly<Record<string, ReadonlyArray<Reply>>>,
  more: Partial<Record<string, Partial<StoredModel>>> = {}
) =>
  Effect.gen(function*() {
    const calls: Array<string> = []
    const bodies: Array<string> = []
    const retries: Array<ModelRetry> = []
    const http = scriptedHttp((request) => {
      const host = new URL(request.url).hostname
      calls.push(host)
      bodies.push(bodyOf(request))
      const script = replies[host] ?? [good(`From ${host}.`)]
      return script[Math.min(calls.filter((one) => one === host).length, script.length) - 1] ?? down
    })
    const { clock, pass } = makeClock()
    const stored = fixedModels({
      a: modelAt("a", more["a"]),
      b: modelAt("b", more["b"]),
      c: modelAt("c", more["c"])
    })
    const context = yield* Layer.build(
      LanguageModel.layer({
        temperature: 1,
        provider: { _tag: "offline" },
        contextTokens: 1_000_000,
        prices: {},
        recordsContent: false,
        maxRetries: 4,
        totalTimeout: Duration.minutes(4)
      }).pipe(Layer.provide([stored, http]))
    )
    const model = Context.get(context, Model)
    const registry = Context.get(context, ModelRegistry)
    const asked = (request: Partial<ModelRequest> = {}, limit = Number.POSITIVE_INFINITY) =>
      model.generate({ system: "", messages: [{ role: "user", content: "Well?" }], tools: { tools: [] }, ...request })
        .pipe(
          Effect.provideService(OnModelRetry, (retry) => Effect.sync(() => void retries.push(retry))),
          Effect.provideService(CallTimeLeft, () => limit - clock.unsafeCurrentTimeMillis()),
          Effect.withClock(clock)
        )
    return { asked, bodies, calls, clock, model, pass, registry, retries }
  })

const minute = 60_000

describe("A model that is unavailable", () => {
  it.scoped("is called three times, then the next one makes the call, and both are named", () =>
    Effect.gen(function*() {
      const { asked, calls, retries } = yield* world({ a: [down] })
      const response = yield* asked()
      assert.deepStrictEqual(calls, ["a", "a", "a", "b"])
      assert.deepInclude(response, { model: "b", inputTokens: 100, outputTokens: 10 })
      assert.strictEqual(response.message.content, "From b.")
      assert.deepStrictEqual(retries.map(({ model, next }) => [model, next]), [
        [undefined, undefined],
        [undefined, undefined],
        ["a", "b"]
      ])
    }).pipe(Effect.provide(quiet)))

  it.scoped("is passed over for a minute, then for two, up to ten, and is called again once it answers", () =>
    Effect.gen(function*() {
      const { asked, calls, pass } = yield* world({ a: [...Array.from({ length: 18 }, () => down), good("From a.")] })
      for (const pause of [1, 2, 4, 8, 10, 10]) {
        calls.push("-")
        yield* asked()
        pass(pause * minute - 5_000)
        yield* asked()
        pass(5_000)
      }
      calls.push("-")
      yield* asked()
      yield* asked()
      assert.strictEqual(calls.join(""), `${"-aaabb".repeat(6)}-aa`)
    }).pipe(Effect.provide(quiet)))

  it.scoped("is called again as soon as a test of it has an answer", () =>
    Effect.gen(function*() {
      const { asked, calls, clock, registry } = yield* world({ a: [down, down, down, down, good("From a.")] })
      const tests = Option.getOrThrow(Arrays.findFirst(registry.models(), ({ name }) => name === "a")).callOnce
      const test = Effect.exit(Effect.withClock(tests({ system: "", messages: [], tools: noTools }), clock))
      yield* asked()
      yield* Effect.zipRight(test, asked())
      assert.strictEqual(calls.join(""), "aaabab")
      yield* Effect.zipRight(test, asked())
      assert.strictEqual(calls.join(""), "aaababaa")
    }).pipe(Effect.provide(quiet)))

  it.scoped("is called all the same where every other one is unavailable, too", () =>
    Effect.gen(function*() {
      const { asked, calls } = yield* world({ a: [down, down, down, good("From a.")], b: [down], c: [down] })
      const error = yield* Effect.flip(asked())
      assert.strictEqual(error._tag, "ModelUnavailable")
      assert.strictEqual(calls.join(""), "aaabbbccccc")
      assert.strictEqual((yield* asked()).message.content, "From a.")
    }).pipe(Effect.provide(quiet)))

  it.scoped("leaves time for the next one", () =>
    Effect.gen(function*() {
      const { asked, calls } = yield* world({ a: [{ status: 429, headers: { "retry-after": "40" }, body: "" }] })
      yield* asked({}, 60_000)
      assert.strictEqual(calls.join(""), "ab")
    }).pipe(Effect.provide(quiet)))

  it.scoped("in the middle of its streamed answer costs what it has used by its own price, and its text is no part of the next one", () =>
    Effect.gen(function*() {
      const shown: Array<string> = []
      const { asked } = yield* world({ a: [streamed("Half of an")], b: [streamed("From b.", end)] }, {
        a: { price: { input: 0, output: 1_000_000 } },
        b: { price: { input: 1_000_000, output: 0 } }
      })
      const { cost, inputTokens, message, outputTokens } = yield* asked({
        onText: (text) => Effect.sync(() => void shown.push(text))
      })
      // Three attempts of `a`, by estimate, and what `b` counted.
      assert.strictEqual(outputTokens, 3 * 3 + 10)
      assert.isAbove(inputTokens, 100)
      assert.strictEqual(cost, 3 * 3 + 100)
      assert.strictEqual(message.content, "From b.")
      assert.strictEqual(shown.join(""), `${"Half of an".repeat(3)}From b.`)
    }).pipe(Effect.provide(quiet)))

  it.scoped("has a fallback whose own key or model is wrong left out, if there is another one", () =>
    Effect.gen(function*() {
      const noKey: Reply = { status: 401, body: JSON.stringify({ error: { message: "Incorrect API key provided." } }) }
      const { asked, calls, retries } = yield* world({ a: [down], b: [noKey] })
      assert.strictEqual((yield* asked()).message.content, "From c.")
      assert.strictEqual(calls.join(""), "aaabc")
      assert.deepStrictEqual(retries.map(({ model, next }) => [model, next]).slice(2), [["a", "b"], ["b", "c"]])
      assert.strictEqual((yield* asked()).message.content, "From c.")
      const alone = yield* world({ a: [down], b: [down], c: [noKey] })
      assert.deepInclude(yield* Effect.flip(alone.asked()), { _tag: "ModelRejected", wrong: "key" })
      const first = yield* world({ a: [noKey] })
      assert.deepInclude(yield* Effect.flip(first.asked()), { _tag: "ModelRejected", wrong: "key" })
    }).pipe(Effect.provide(quiet)))

  it.scoped("has no fallback for what it refuses", () =>
    Effect.gen(function*() {
      const { asked, calls } = yield* world({ a: [{ status: 401, body: "" }] })
      assert.strictEqual((yield* Effect.flip(asked()))._tag, "ModelRejected")
      assert.deepStrictEqual(calls, ["a"])
    }).pipe(Effect.provide(quiet)))

  it.scoped("sends no conversation that was fitted to it to one with a window too small for that", () =>
    Effect.gen(function*() {
      const { asked, calls } = yield* world({ a: [down] }, { b: { context_tokens: 1_000 } })
      const content = "x".repeat(8_000)
      const error = yield* Effect.flip(asked({ messages: [{ role: "user", content }], contextTokens: 100_000 }))
      assert.deepInclude(error, { _tag: "ContextOverflow", contextTokens: 1_000 })
      assert.strictEqual(calls.join(""), "aaa")
      assert.strictEqual((yield* asked({ contextTokens: 100_000 })).model, "b")
    }).pipe(Effect.provide(quiet)))

  it.scoped("is named for the next call as long as it is called first", () =>
    Effect.gen(function*() {
      const { asked, clock, model } = yield* world({ a: [down] }, { b: { context_tokens: 2_000 } })
      const first = (name: string | null) =>
        Effect.map(
          Effect.withClock(chosen(model, name), clock),
          ({ contextTokens, name }) => [name, contextTokens]
        )
      assert.deepStrictEqual(yield* first(null), ["a", 100_000])
      assert.deepStrictEqual(yield* first("c"), ["c", 100_000])
      assert.deepStrictEqual(yield* first("there is none"), ["a", 100_000])
      assert.deepStrictEqual(yield* first("offline"), ["offline", 1_000_000])
      yield* asked()
      assert.deepStrictEqual(yield* first(null), ["b", 2_000])
      assert.deepStrictEqual(yield* first("c"), ["c", 100_000])
    }).pipe(Effect.provide(quiet)))
})
