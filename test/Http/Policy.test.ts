import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { call, object, refused } from "./calls.ts"
import { hosted, People, send } from "./hosted.ts"
import { isProblem } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"

const path = "/api/policy"
const test = `${path}/test`

/** Of a service without tasks. */
const nothing = { tasks: 0, calls: 0, allowed: 0, asked: 0, denied: 0, changed: [], left_out: null }

const rule = { effect: "ask", tool: "send_email", when: { args: { "/to": { domain_in: ["example.org"] } } } }

layer(hosted(), { excludeTestServices: true })("The policy of a hosted service", (it) => {
  it.effect("is read by everyone and saved by admins, each revision from the one before", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const { member, owner } = yield* People
      const first = yield* send(port, "GET", path, member)
      assert.deepStrictEqual(JSON.parse(first.text), {
        revision: 0,
        preset: "balanced",
        rules: [],
        classes: {},
        dead: []
      })
      isProblem(yield* send(port, "PUT", path, member, { revision: 0, rules: [rule] }), 403, "forbidden")
      const change = { revision: 0, preset: "strict", rules: [rule], classes: { "files__*": "read" } }
      const saved = yield* send(port, "PUT", path, owner, change)
      assert.deepStrictEqual([saved.status, JSON.parse(saved.text)], [200, { ...change, revision: 1, dead: [] }])
      isProblem(yield* send(port, "PUT", path, owner, change), 409, "policy-changed")
      const again = yield* send(port, "PUT", path, owner, { ...JSON.parse(saved.text), preset: "quiet" })
      assert.deepStrictEqual([again.status, JSON.parse(again.text).revision], [200, 2])
      assert.deepStrictEqual(JSON.parse((yield* send(port, "GET", path, member)).text), JSON.parse(again.text))
      assert.deepStrictEqual(yield* query("select revision, preset from policies order by revision"), [
        { revision: 1, preset: "strict" },
        { revision: 2, preset: "quiet" }
      ])
    }))

  it.effect("refuses a rule that nobody could approve", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { owner } = yield* People
      const { revision } = JSON.parse((yield* send(port, "GET", path, owner)).text)
      const put = (...who: ReadonlyArray<string>) =>
        send(port, "PUT", path, owner, { revision, rules: [{ ...rule, who }] })
      isProblem(yield* put(), 400, "invalid-request")
      assert.deepStrictEqual(isProblem(yield* put("nobody"), 400, "policy-invalid").errors?.map(({ path }) => path), [
        "rules.0.who"
      ])
      assert.strictEqual((yield* put("nobody", "admin")).status, 200)
    }))

  it.effect("keeps every revision with its author, newest first, by pages", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const { member, owner } = yield* People
      const before = JSON.parse((yield* send(port, "GET", path, owner)).text)
      const { revision } = JSON.parse((yield* send(port, "PUT", path, owner, { ...before, rules: [] })).text)
      const [saved] = yield* query<{ readonly author: string }>("select author from policies where revision = $1", [
        revision
      ])
      const pages = JSON.parse((yield* send(port, "GET", `${path}/revisions`, member)).text)
      assert.deepStrictEqual(
        pages.map((one: { readonly revision: number }) => one.revision),
        Array.from({ length: revision }, (_, at) => revision - at)
      )
      const all = yield* send(port, "GET", `${path}/revisions?cursor=3000000000`, member)
      assert.deepStrictEqual([all.status, JSON.parse(all.text)], [200, pages])
      const unknown = yield* send(port, "PUT", path, owner, { revision: 3_000_000_000, rules: [] })
      isProblem(unknown, 409, "policy-changed")
      const next = yield* send(port, "GET", `${path}/revisions?limit=1&cursor=${revision}`, member)
      assert.deepStrictEqual(JSON.parse(next.text), pages.slice(1, 2))
      assert.include(next.headers["link"], `cursor=${revision - 1}>; rel="next"`)
      const { created_at, ...newest } = pages[0] ?? {}
      const { dead: _dead, ...policy } = before
      assert.deepStrictEqual(newest, { ...policy, revision, rules: [], author: saved?.author })
      assert.match(String(created_at), /^20.+Z$/)
    }))

  it.effect("lists every tool with its class, and says where that comes from", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { member } = yield* People
      const tools: ReadonlyArray<object> = JSON.parse((yield* send(port, "GET", `${path}/tools`, member)).text)
      assert.deepInclude(tools, { name: "send_email", server: null, class: "outside", class_from: "built_in" })
      assert.deepInclude(tools, { name: "read_file", server: null, class: "read", class_from: "built_in" })
    }))

  it.effect("is tested by admins alone, who would read the calls of everybody's tasks", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { member, owner } = yield* People
      isProblem(yield* send(port, "POST", test, member, { rules: [rule] }), 403, "forbidden")
      assert.deepStrictEqual(JSON.parse((yield* send(port, "POST", test, owner, { rules: [rule] })).text), nothing)
      const nobody = yield* send(port, "POST", test, owner, { rules: [{ ...rule, who: ["nobody"] }] })
      assert.deepStrictEqual(isProblem(nobody, 400, "policy-invalid").errors?.map(({ path }) => path), ["rules.0.who"])
    }))
})

layer(Layer.scoped(Service, startService({ POLICY: "strict" })), { excludeTestServices: true })(
  "A policy whose preset POLICY sets",
  (it) => {
    it.effect("keeps that preset, and takes rules", () =>
      Effect.gen(function*() {
        yield* refused("preset-locked", "PUT", path, 409, { revision: 0, preset: "quiet", rules: [] })
        const saved = yield* object("PUT", path, 200, { revision: 0, preset: "strict", rules: [rule] })
        assert.deepInclude(saved, { revision: 1, preset: "strict" })
      }))

    it.effect("names the rules that never apply", () =>
      Effect.gen(function*() {
        const { revision } = yield* object("GET", path, 200)
        const rules = [
          { effect: "deny", tool: "send_mail" },
          rule,
          { effect: "ask", tool: "send_email", when: { args: { "/recipient": { is: "a" } } } }
        ]
        assert.deepStrictEqual((yield* object("PUT", path, 200, { revision, rules }))["dead"], [
          { index: 0, reason: "no known tool is named send_mail" },
          { index: 2, reason: "send_email has no argument /recipient" }
        ])
        assert.match((yield* call("GET", "/metrics", 200)).text, /^troupe_policy_dead_rules 2$/m)
      }))

    it.effect("is tested with all that could be saved, and with another preset than the locked one", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* object("POST", test, 200, {}), nothing)
        const all = { preset: "quiet", rules: [rule], classes: { "files__*": "read" }, days: 7 }
        assert.deepStrictEqual(yield* object("POST", test, 200, all), nothing)
        assert.deepStrictEqual(yield* object("POST", test, 200, yield* object("GET", path, 200)), nothing)
      }))

    it.effect("is not tested with what could not be saved: each mistake is named with its place", () =>
      Effect.gen(function*() {
        const wrong = [
          [{ rules: [rule, { ...rule, effect: "maybe" }] }, "rules.1.effect"],
          [{ rules: [{ ...rule, unless: {} }] }, "rules.0.unless"],
          [{ rules: [{ ...rule, when: { args: { to: { is: "x" } } } }] }, "rules.0.when.args.to"],
          [{ classes: { "files__*": "harmless" } }, "classes.files__*"],
          [{ days: 0 }, "days"],
          [{ days: 366 }, "days"],
          [{ ruels: [] }, "ruels"]
        ] as const
        for (const [body, place] of wrong) {
          assert.deepStrictEqual(yield* refused("invalid-request", "POST", test, 400, body), [place])
        }
      }))

    it.effect("refuses what no rule has", () =>
      Effect.gen(function*() {
        const { revision } = yield* object("GET", path, 200)
        const wrong = [
          { rules: [{ ...rule, unless: {} }] },
          { rules: [{ ...rule, when: { tools: "x" } }] },
          { rules: [{ ...rule, when: { args: { "/to": { like: "x" } } } }] },
          { rules: [{ ...rule, when: { args: { to: { is: "x" } } } }] },
          { rules: [{ ...rule, effect: "maybe" }] },
          { classes: { "files__*": "harmless" } },
          { ruels: [] }
        ]
        for (const change of wrong) yield* call("PUT", path, 400, { revision, ...change })
      }))
  }
)
