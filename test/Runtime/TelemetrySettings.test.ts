import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Option, Redacted } from "effect"
import * as Format from "../../src/Runtime/Settings/SettingFormats.ts"
import { read } from "./settings.ts"

describe("The settings of metrics and spans", () => {
  it.effect("are off by default, and mean nothing without an endpoint", () =>
    Effect.gen(function*() {
      for (const values of [{}, { OTEL_SERVICE_NAME: "x", OTEL_EXPORTER_OTLP_HEADERS: "a=b" }]) {
        const { metrics, tracing } = yield* read(values)
        assert.deepStrictEqual(tracing, Option.none())
        assert.deepStrictEqual(metrics, { token: Option.none(), port: Option.none() })
      }
    }))

  it.effect("have the names and defaults of OpenTelemetry", () =>
    Effect.gen(function*() {
      const OTEL_EXPORTER_OTLP_ENDPOINT = "http://collector:4318"
      const { tracing } = yield* read({ OTEL_EXPORTER_OTLP_ENDPOINT })
      assert.deepStrictEqual(Option.getOrThrow(tracing), {
        endpoint: new URL(OTEL_EXPORTER_OTLP_ENDPOINT),
        headers: Option.none(),
        serviceName: "troupe",
        sampleRatio: 1,
        recordsContent: false
      })
      const { tracing: given } = yield* read({
        OTEL_EXPORTER_OTLP_ENDPOINT,
        OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b",
        OTEL_SERVICE_NAME: "troupe-eu",
        OTEL_TRACES_SAMPLER_ARG: "0.25",
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true"
      })
      const { headers, ...others } = Option.getOrThrow(given)
      assert.deepStrictEqual(Option.map(headers, Redacted.value), Option.some({ "api-key": "a b" }))
      assert.deepStrictEqual(others, {
        endpoint: new URL(OTEL_EXPORTER_OTLP_ENDPOINT),
        serviceName: "troupe-eu",
        sampleRatio: 0.25,
        recordsContent: true
      })
    }))

  it.effect("that are invalid are reported, without secrets", () =>
    Effect.gen(function*() {
      const { message, mistakes } = yield* Effect.flip(read({
        METRICS_TOKEN: "short-secret",
        METRICS_PORT: "0",
        OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
        OTEL_EXPORTER_OTLP_HEADERS: "no secret value",
        OTEL_TRACES_SAMPLER_ARG: "1.5"
      }))
      assert.deepStrictEqual(mistakes.map(({ name }) => name).toSorted(), [
        "METRICS_PORT",
        "METRICS_TOKEN",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_TRACES_SAMPLER_ARG"
      ])
      assert.notInclude(message, "secret")
    }))

  it.effect("accept no token that a header can't contain", () =>
    Effect.gen(function*() {
      for (const token of ["a secret of several words, long enough", "\u00e9".repeat(32)]) {
        const { message } = yield* Effect.flip(read({ METRICS_TOKEN: token }))
        assert.include(message, "METRICS_TOKEN is \"<redacted>\"; it must be 32 or more letters")
      }
      assert.isTrue(Option.isSome((yield* read({ METRICS_TOKEN: "+/=~".repeat(8) })).metrics.token))
    }))
})

describe("Headers in a setting", () => {
  const name = FastCheck.stringMatching(/^[a-z][a-z0-9-]{0,12}$/)
  const value = FastCheck.stringMatching(/^[\x20-\x7e]{0,20}$/)

  it.prop("are decoded to what was encoded", [FastCheck.dictionary(name, value)], ([headers]) => {
    const text = Object.entries(headers).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(" , ")
    assert.deepStrictEqual(Format.headers.parse(text), Option.some({ ...headers }))
  })

  it("that no request could carry are refused", () => {
    for (const text of ["name", "=value", "a b=c", "a=%0d%0ab", "a=%", "a=%c3%a9", "a=b,c"]) {
      assert.isTrue(Option.isNone(Format.headers.parse(text)), text)
    }
  })
})
