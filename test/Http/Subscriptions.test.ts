import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { absent, call, type Json, listed, object, refused } from "./calls.ts"
import { Service, startService } from "./service.ts"

layer(Layer.scoped(Service, startService()), { excludeTestServices: true })("Over HTTP", (it) => {
  it.effect("subscriptions are made, listed, tested, replayed, resumed and deleted", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      const all = "/api/subscriptions"
      const url = "https://example.org/hook"
      const created = yield* call("POST", all, 201, { url, events: ["task.failed"] })
      const { secret, ...made } = created.json as Json
      assert.match(String(secret), /^whsec_/)
      assert.deepInclude(made, { user_id: "default", url, events: ["task.failed"], tasks: "own", active: true })
      const one = `${all}/${made["id"]}`
      assert.strictEqual(created.headers["location"], one)
      assert.deepStrictEqual(yield* object("GET", one, 200), { ...made, last_delivery: null })
      const other = yield* object("POST", all, 201, { url, user_id: "default", tasks: "all" })
      const both = yield* listed(`${all}?user_id=default`)
      assert.deepStrictEqual(both.map(({ id }) => id), [other["id"], made["id"]])
      assert.notInclude(JSON.stringify(both), "whsec_")
      for (const [field, value] of [["url", "ftp://x"], ["events", []], ["secret", "s"], ["tasks", "some"]] as const) {
        const body = { url, [field]: value }
        assert.deepStrictEqual(yield* refused("invalid-request", "POST", all, 400, body), [field])
      }
      yield* refused("user-not-found", "POST", all, 404, { url, user_id: "nobody" })

      const [first, second] = yield* Effect.replicateEffect(object("POST", `${one}/test`, 202), 2)
      assert.deepInclude(first, { event: "subscription.test", state: "pending", attempts: 0, task_id: null })
      assert.deepStrictEqual(yield* listed(`${one}/deliveries`), [second, first])
      assert.deepStrictEqual((yield* object("GET", one, 200))["last_delivery"], second)
      yield* query(
        "update outbox set state = 'failed', due_at = null, ended_at = now(), attempts = 9, last_error = 'Gone' where id = $1",
        [
          first?.["id"]
        ]
      )
      const replay = `${one}/deliveries/${first?.["id"]}/replay`
      assert.deepInclude(yield* object("POST", replay, 202), { id: first?.["id"], state: "pending", attempts: 0 })
      for (const id of [absent, "x", other["id"]]) {
        yield* refused("delivery-not-found", "POST", `${one}/deliveries/${id}/replay`, 404)
      }

      yield* query("update subscriptions set disabled_reason = 'It fails.' where id = $1", [made["id"]])
      assert.deepInclude(yield* object("GET", one, 200), { active: false, disabled_reason: "It fails." })
      yield* refused("subscription-inactive", "POST", `${one}/test`, 409)
      yield* refused("subscription-inactive", "POST", replay, 409)
      assert.deepInclude(yield* object("POST", `${one}/resume`, 200), { active: true, disabled_reason: null })

      assert.strictEqual((yield* call("DELETE", one, 204)).text, "")
      for (const id of [made["id"], absent, "x"]) {
        for (
          const [method, path] of [["GET", ""], ["DELETE", ""], ["POST", "/resume"], ["POST", "/test"], [
            "GET",
            "/deliveries"
          ], ["POST", `/deliveries/${absent}/replay`]] as const
        ) {
          yield* refused("subscription-not-found", method, `${all}/${id}${path}`, 404)
        }
      }
    }))
})
