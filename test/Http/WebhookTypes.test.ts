import { assert, layer } from "@effect/vitest"
import { unseenHealth } from "@troupe/domain/Unattended"
import { Effect, Layer } from "effect"
import { createHmac } from "node:crypto"
import { call, type Json, object, refused } from "./calls.ts"
import { Service, startService } from "./service.ts"

const all = "/api/webhook-types"
const secret = "hush-of-the-test"

const types = Effect.map(call("GET", all, 200), ({ json }) => json as ReadonlyArray<Json>)

/** A delivery as a code host signs it. */
const deliver = (type: string, status: number, key: string | null) => {
  const body = { action: "opened" }
  const signature = key === null ? {} : {
    "x-hub-signature-256": `sha256=${createHmac("sha256", key).update(JSON.stringify(body)).digest("hex")}`
  }
  return call("POST", `/webhook/${type}`, status, body, signature)
}

const verified = Effect.flatMap(Service, ({ query }) =>
  Effect.map(
    query<{ is_verified: boolean }>("select is_verified from inbound_messages order by id desc limit 1"),
    ([row]) => row?.is_verified
  ))

layer(Layer.scoped(Service, startService({ SECRETS_KEY: "k".repeat(32), WEBHOOK_SECRET_SHOP: "of the environment" })), {
  excludeTestServices: true
})("Types of webhooks", (it) => {
  it.effect("are configured, listed and removed, and their deliveries verified at once", () =>
    Effect.gen(function*() {
      yield* call("GET", `${all}/ci-server`, 404)
      const made = yield* object("PUT", `${all}/CI_server`, 200, { secret, scheme: "code-host" })
      assert.deepInclude(made, {
        type: "ci-server",
        scheme: "code-host",
        has_secret: true,
        agent: null,
        trusted: false,
        health: unseenHealth,
        last_delivery_at: null
      })
      assert.match(String(made["address"]), /^http:\/\/127\.0\.0\.1:\d+\/webhook\/ci-server$/)
      yield* deliver("ci-server", 401, null)
      yield* deliver("ci-server", 401, "wrong")
      yield* deliver("ci-server", 200, secret)
      assert.isTrue(yield* verified)
      const found = yield* object("GET", `${all}/ci-server`, 200)
      assert.match(String(found["last_delivery_at"]), /^2.*Z$/)
      const changed = yield* object("PUT", `${all}/ci-server`, 200, { scheme: "standard", secret: "s".repeat(40) })
      assert.deepInclude(changed, { scheme: "standard", has_secret: true })
      yield* deliver("ci-server", 401, secret)
      yield* call("DELETE", `${all}/ci-server`, 204)
      assert.deepInclude(yield* object("GET", `${all}/ci-server`, 200), { has_secret: false, scheme: "code-host" })
      yield* deliver("ci-server", 200, null)
      assert.notInclude(JSON.stringify(yield* types), secret)
    }))

  it.effect("are listed too if something was delivered, or the environment sets them, by name", () =>
    Effect.gen(function*() {
      yield* deliver("Door-Bell", 200, null)
      const listed = yield* types
      const names = listed.map(({ type }) => String(type))
      assert.includeMembers(names, ["Door-Bell", "shop"])
      assert.deepStrictEqual(names, names.toSorted())
      assert.deepInclude(listed.find(({ type }) => type === "shop"), { has_secret: true, last_delivery_at: null })
      assert.isNotNull(listed.find(({ type }) => type === "Door-Bell")?.["last_delivery_at"])
    }))

  it.effect("may be trusted without a secret, one by one", () =>
    Effect.gen(function*() {
      const proxied = (type: string) => call("POST", `/webhook/${type}`, 200, {}, { "x-forwarded-for": "1.2.3.4" })
      yield* object("PUT", `${all}/lamp`, 200, { trusted: true })
      yield* proxied("lamp")
      assert.isTrue(yield* verified)
      yield* proxied("other")
      assert.isFalse(yield* verified)
    }))

  it.effect("have the agent that is set, else the one that claims them in its file", () =>
    Effect.gen(function*() {
      const agent = (name: string, webhooks: ReadonlyArray<string>) =>
        call("POST", "/api/agents", 201, { name, description: "Works.", instructions: "Work.", webhooks })
      yield* agent("claimant", ["bell"])
      yield* agent("chosen", [])
      assert.deepInclude(yield* object("PUT", `${all}/bell`, 200, {}), { agent: "claimant" })
      assert.deepInclude(yield* object("PUT", `${all}/bell`, 200, { agent: "chosen" }), { agent: "chosen" })
      assert.deepInclude(yield* object("PUT", `${all}/bell`, 200, { agent: null }), { agent: "claimant" })
    }))

  it.effect("refuse what can't be used, by the fields of the request", () =>
    Effect.gen(function*() {
      const put = (type: string, body: Json) => refused("settings-refused", "PUT", `${all}/${type}`, 400, body)
      assert.deepStrictEqual(yield* put("shop", { secret: "mine" }), ["secret"])
      assert.deepStrictEqual(yield* put("door", { scheme: "standard" }), ["scheme"])
      assert.deepStrictEqual(yield* put("door", { scheme: "standard", secret: "short" }), ["secret"])
      assert.deepStrictEqual(yield* put("%2B%2B", {}), ["webhook_type"])
      assert.deepStrictEqual(yield* put("door", { agent: "nobody" }), ["agent"])
      assert.deepStrictEqual(yield* refused("invalid-request", "PUT", `${all}/door`, 400, { scheme: "x" }), ["scheme"])
      assert.deepStrictEqual(yield* refused("settings-refused", "DELETE", `${all}/shop`, 400), ["secret"])
      yield* call("DELETE", `${all}/never-seen`, 404)
    }))
})
