import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue, Redacted } from "effect"
import { eventually } from "../support/Eventually.ts"
import { makeImapServer } from "../support/ImapServer.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { call, type Json, object, refused } from "./calls.ts"
import { request } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"

const path = "/api/settings"

const listed = (of: string) => Effect.map(call("GET", of, 200), ({ json }) => json as ReadonlyArray<Json>)

const settingOf = (name: string) => Effect.map(listed(path), (all) => all.find((one) => one["name"] === name) ?? {})

const tested = (section: string, values: Json = {}) => object("POST", `${path}/test`, 200, { section, values })

layer(Layer.scoped(Service, startService({ SECRETS_KEY: "k".repeat(32), SPECIALIZATION: "tester" })), {
  excludeTestServices: true
})("Settings over HTTP", (it) => {
  it.effect("are listed with the fields of the contract, and no secret", () =>
    Effect.gen(function*() {
      const all = yield* listed(path)
      assert.isAbove(all.length, 100)
      for (const one of all) {
        assert.containsAllKeys(one, [
          "name",
          "section",
          "title",
          "description",
          "value",
          "is_set",
          "source",
          "secret",
          "locked",
          "needs"
        ])
      }
      assert.deepInclude(yield* settingOf("SPECIALIZATION"), {
        value: "tester",
        source: "environment",
        locked: true,
        is_set: true
      })
      assert.deepInclude(yield* settingOf("SECRETS_KEY"), { value: null, is_set: true, secret: true, needs: "start" })
      assert.notInclude(JSON.stringify(all), "kkkk")
    }))

  it.effect("are stored all or none; 400 names each that is wrong, locked or read at the start only", () =>
    Effect.gen(function*() {
      const changed = yield* call("PUT", path, 200, { MAX_PARALLEL_TOOL_CALLS: "3", AGENT_HARD_ITERATIONS: 12 })
      const stored = (changed.json as ReadonlyArray<Json>).filter(({ source }) => source === "stored")
      assert.deepStrictEqual(stored.map(({ name, value }) => [name, value]), [
        ["MAX_PARALLEL_TOOL_CALLS", "3"],
        ["AGENT_HARD_ITERATIONS", "12"]
      ])
      const wrong = {
        MAX_PARALLEL_TOOL_CALLS: "4",
        SPECIALIZATION: "x",
        PORT: "1",
        AGENT_HARD_ITERATIONS: "none",
        NO: 1
      }
      assert.deepStrictEqual(
        (yield* refused("settings-refused", "PUT", path, 400, wrong))?.toSorted(),
        ["AGENT_HARD_ITERATIONS", "NO", "PORT", "SPECIALIZATION"]
      )
      assert.deepInclude(yield* settingOf("MAX_PARALLEL_TOOL_CALLS"), { value: "3" })
      yield* call("PUT", path, 200, { MAX_PARALLEL_TOOL_CALLS: null, AGENT_HARD_ITERATIONS: null })
      assert.deepInclude(yield* settingOf("MAX_PARALLEL_TOOL_CALLS"), { value: "5", source: "default" })
      const [last] = yield* listed(`${path}/history`)
      assert.deepInclude(last, { is_set: false, changed_by: "default" })
    }))

  it.effect("have secrets, which are sealed and never shown", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      yield* call("PUT", path, 200, { SMTP_PASSWORD: "hush-of-the-test", SMTP_USER: "troupe" })
      assert.deepInclude(yield* settingOf("SMTP_PASSWORD"), {
        value: null,
        is_set: true,
        source: "stored",
        secret: true
      })
      const rows = yield* query("select settings from stored_settings")
      assert.notInclude(
        JSON.stringify([rows, yield* listed(`${path}/history`), yield* listed(path)]),
        "hush-of-the-test"
      )
      yield* call("PUT", path, 200, { SMTP_PASSWORD: null, SMTP_USER: null })
    }))

  it.scoped("can be tried before they are stored: the servers of mail", () =>
    Effect.gen(function*() {
      const smtp = yield* makeMailServer({ allowInsecureAuth: true })
      const values = {
        SMTP_HOST: "127.0.0.1",
        SMTP_PORT: smtp.port,
        SMTP_SECURE: false,
        SMTP_FROM: "troupe@example.org",
        SMTP_USER: "troupe",
        SMTP_PASSWORD: password
      }
      assert.deepInclude(yield* tested("smtp", values), {
        ok: true,
        detail: `127.0.0.1:${smtp.port} answers and accepts the sign-in.`
      })
      const failed = yield* tested("smtp", { ...values, SMTP_PASSWORD: "wrong-of-the-test" })
      assert.strictEqual(failed["ok"], false)
      assert.notInclude(JSON.stringify(failed), "wrong-of-the-test")
      assert.deepInclude(yield* tested("smtp"), { ok: false })
      const imap = yield* makeImapServer
      const inbox = {
        IMAP_HOST: "127.0.0.1",
        IMAP_PORT: imap.port,
        IMAP_SECURE: false,
        IMAP_USER: "a",
        IMAP_PASSWORD: "b"
      }
      assert.deepInclude(yield* tested("imap", inbox), { ok: true })
      imap.faults.refuseLogin = true
      assert.deepInclude(yield* tested("imap", inbox), { ok: false })
      assert.deepStrictEqual(
        yield* refused("settings-refused", "POST", `${path}/test`, 400, {
          section: "smtp",
          values: { SMTP_HOST: "127.0.0.1" }
        }),
        ["SMTP_FROM"]
      )
      assert.deepInclude(yield* settingOf("SMTP_HOST"), { is_set: false })
    }))

  it.scoped("of mail are tried by a mail to oneself, which the service reads back where it receives", () =>
    Effect.gen(function*() {
      const imap = yield* makeImapServer
      const smtp = yield* makeMailServer({ allowInsecureAuth: true })
      const values = {
        SMTP_HOST: "127.0.0.1",
        SMTP_PORT: smtp.port,
        SMTP_SECURE: false,
        SMTP_FROM: "troupe@example.org",
        SMTP_USER: "troupe",
        SMTP_PASSWORD: password
      }
      const receiving = {
        IMAP_HOST: "127.0.0.1",
        IMAP_PORT: imap.port,
        IMAP_SECURE: false,
        IMAP_USER: "inbox@example.org",
        IMAP_PASSWORD: "b"
      }
      const trial = (values: Json, mail_to: string) =>
        Effect.map(object("POST", `${path}/test`, 200, { section: "smtp", values, mail_to }), (report) => ({
          ok: report["ok"],
          steps: (report["steps"] as ReadonlyArray<Json>).map(({ name, status }) => `${name}: ${status}`)
        }))
      assert.deepStrictEqual(yield* trial(values, "ada@example.net"), {
        ok: true,
        steps: ["Sending: ok", "Receiving: unknown"]
      })
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.flatMap(
            Queue.take(smtp.arrivals),
            ({ raw, to }) => Effect.sync(() => to.includes("inbox@example.org") && imap.deliver(raw))
          )
        )
      )
      assert.deepStrictEqual(yield* trial({ ...values, ...receiving }, "ada@example.net"), {
        ok: true,
        steps: ["Sending: ok", "Receiving: ok"]
      })
      assert.deepStrictEqual(imap.mails.map(({ seen }) => seen), [true])
      imap.faults.refuseLogin = true
      assert.deepStrictEqual(yield* trial({ ...values, ...receiving }, "ada@example.net"), {
        ok: false,
        steps: ["Sending: ok", "Receiving: failed"]
      })
      yield* refused("invalid-request", "POST", `${path}/test`, 400, { section: "smtp", mail_to: "ada" })
    }))

  it.scoped("of the model are the default one's where none are given", () =>
    Effect.gen(function*() {
      const model = yield* makeModelServer({ strict: false })
      const entry = { provider: "openai-compatible", base_url: model.url, model: "fake-r0" }
      yield* call("PUT", "/api/models/main", 200, entry)
      yield* call("PUT", "/api/models/default", 200, { default: "main", fallbacks: [] })
      const inEffect = yield* tested("model")
      assert.deepInclude(inEffect, { ok: true })
      assert.match(String(inEffect["detail"]), /^fake-r0 answered/)
      const given = yield* tested("model", {
        USE_LOCAL_MODEL: true,
        LOCAL_MODEL_URL: model.url,
        LOCAL_MODEL: "fake-other"
      })
      assert.match(String(given["detail"]), /^fake-other of/)
      yield* call("PUT", "/api/models/default", 200, { default: "settings", fallbacks: [] })
      yield* call("DELETE", "/api/models/main", 204)
    }))

  it.effect("can be tried as they are: storage, chat and model", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* tested("storage"), { ok: true })
      assert.deepInclude(yield* tested("chat"), { ok: true })
      assert.deepInclude(yield* tested("model"), { ok: false })
      assert.deepStrictEqual(yield* refused("invalid-request", "POST", `${path}/test`, 400, { section: "all" }), [
        "section"
      ])
    }))

  it.effect("of mail take effect without a restart", () =>
    Effect.gen(function*() {
      const features = Effect.map(object("GET", "/api/version", 200), (version) => version["features"] as Json)
      assert.strictEqual((yield* features)["mail_inbox"], false)
      const values = { IMAP_HOST: "127.0.0.1", IMAP_USER: "a", IMAP_PASSWORD: "b" }
      yield* call("PUT", path, 200, values)
      assert.strictEqual((yield* features)["mail_inbox"], true)
      yield* call("PUT", path, 200, { IMAP_HOST: null, IMAP_USER: null, IMAP_PASSWORD: null })
      assert.strictEqual((yield* features)["mail_inbox"], false)
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
