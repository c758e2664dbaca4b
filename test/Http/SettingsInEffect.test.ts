import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { eventually } from "../support/Eventually.ts"
import { call, type Json, object, refused } from "./calls.ts"
import { request } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"
import { path, settingOf, tested } from "./settingCalls.ts"

layer(Layer.scoped(Service, startService({ MAX_UPLOAD_MB: "" })), { excludeTestServices: true })(
  "Limits take effect without a restart:",
  (it) => {
    it.effect("the size of uploads", () =>
      Effect.gen(function*() {
        yield* upload(1_100_000, 201)
        yield* call("PUT", path, 200, { MAX_UPLOAD_MB: 1 })
        yield* upload(1_100_000, 413)
        yield* call("PUT", path, 200, { MAX_UPLOAD_MB: null })
        yield* upload(1_100_000, 201)
      }))

    it.effect("the requests of a minute", () =>
      Effect.gen(function*() {
        yield* call("PUT", path, 200, { RATE_LIMIT_PER_MINUTE: 3 })
        yield* call("GET", "/api/version", 200)
        yield* call("GET", "/api/version", 200)
        yield* call("GET", "/api/version", 200)
        yield* call("GET", "/api/version", 429)
        // The process that serves several others reads it as this one does.
        const { port, query } = yield* Service
        yield* query("update stored_settings set settings = '{}', version = version + 1")
        yield* query("select pg_notify('troupe_settings', '')")
        yield* eventually(request(port, { method: "GET", path: "/api/version" }), ({ status }) => status === 200)
      }))

    it.effect("the rounds of a task, schedules of a person, the size of webhooks, and how long tasks are kept", () =>
      Effect.gen(function*() {
        yield* call("PUT", path, 200, {
          AGENT_MAX_ITERATIONS: 20,
          MAX_SCHEDULES_PER_USER: 1,
          MAX_WEBHOOK_BODY_MB: 1,
          TASK_RETENTION_DAYS: 30
        })
        const asked = { message: "Count", max_iterations: 30 }
        assert.deepStrictEqual(yield* refused("task-request-invalid", "POST", "/chat", 400, asked), ["max_iterations"])
        const schedule = { message: "Count", every: "0 8 * * *" }
        yield* call("POST", "/api/schedules", 201, schedule)
        yield* refused("schedule-limit", "POST", "/api/schedules", 409, schedule)
        yield* call("POST", "/webhook/shop", 413, { text: "a".repeat(1_100_000) })
        assert.deepInclude(yield* object("GET", "/system/storage", 200), { retention_days: 30 })
        yield* call("PUT", path, 200, { AGENT_MAX_ITERATIONS: null, MAX_SCHEDULES_PER_USER: null })
        yield* call("POST", "/chat", 202, asked)
        yield* call("POST", "/api/schedules", 201, schedule)
      }))
  }
)

layer(Layer.scoped(Service, startService()), { excludeTestServices: true })("Settings without SECRETS_KEY", (it) => {
  it.effect("have no stored secret: 409 says why, and nothing is stored", () =>
    Effect.gen(function*() {
      const { json } = yield* call("PUT", path, 409, { SMTP_PASSWORD: "hush", SMTP_USER: "troupe" })
      assert.match(String((json as Json)["detail"]), /^SMTP_PASSWORD .*SECRETS_KEY/)
      assert.deepInclude(yield* settingOf("SMTP_USER"), { is_set: false })
    }))
})

layer(Layer.scoped(Service, startService({ SECRETS_KEY: "k".repeat(32), CHAT_API_URL: "", CHAT_BOT_TOKEN: "" })), {
  excludeTestServices: true
})("The team chat without a restart", (it) => {
  const health = object("GET", "/team-chat/health", 200)

  it.effect("is connected, changed and disconnected", () =>
    Effect.gen(function*() {
      const { chat } = yield* Service
      const values = { CHAT_API_URL: chat.url.href, CHAT_BOT_TOKEN: Redacted.value(chat.token) }
      assert.deepInclude(yield* health, { status: "not_configured" })
      assert.deepInclude(yield* tested("chat", values), { ok: true })
      assert.deepInclude(yield* tested("chat", { ...values, CHAT_BOT_TOKEN: "wrong-of-the-test" }), { ok: false })
      yield* call("PUT", path, 200, values)
      const connected = yield* health
      assert.deepInclude(connected, { status: "ok" })
      assert.match(String(connected["detail"]), /until CHAT_SIGNING_SECRET is set/)
      yield* call("PUT", path, 200, { CHAT_SIGNING_SECRET: "hush" })
      assert.match(String((yield* health)["detail"]), /accepted where they are signed/)
      yield* call("PUT", path, 200, { CHAT_BOT_TOKEN: "wrong-of-the-test" })
      assert.deepInclude(yield* health, { status: "unauthorized" })
      yield* call("PUT", path, 200, { CHAT_API_URL: null, CHAT_BOT_TOKEN: null, CHAT_SIGNING_SECRET: null })
      assert.deepInclude(yield* health, { status: "not_configured" })
    }))
})

const upload = (bytes: number, status: number) =>
  Effect.gen(function*() {
    const { port } = yield* Service
    const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${
      "a".repeat(bytes)
    }\r\n--b--\r\n`
    const headers = { "content-type": "multipart/form-data; boundary=b" }
    const answer = yield* request(port, { method: "POST", path: "/upload-file", headers, body })
    assert.strictEqual(answer.status, status, answer.text)
  })
