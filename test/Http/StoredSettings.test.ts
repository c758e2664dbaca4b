import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { makeImapServer } from "../support/ImapServer.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { call, type Json, object, refused } from "./calls.ts"
import { Service, startService } from "./service.ts"
import { listed, path, settingOf, tested } from "./settingCalls.ts"

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
