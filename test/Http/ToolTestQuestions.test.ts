import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { askingServer, text } from "../support/AskingServer.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { Service, startService } from "./service.ts"
import { configured, listed, object, reported, selfHosted, tested, tool } from "./toolTests.ts"

const rule = (rules: ReadonlyArray<object>, more: object = {}) =>
  Effect.gen(function*() {
    const call = yield* selfHosted
    const { revision } = object((yield* call("GET", "/api/policy")).text)
    const saved = yield* call("PUT", "/api/policy", { revision, rules, ...more })
    assert.strictEqual(saved.status, 200, saved.text)
  })

const unmade = { ok: false, may_approve: false, text: null, structured: null, latency_ms: null }

layer(Layer.scoped(Service, Effect.tap(startService(), reported)), { excludeTestServices: true })(
  "A test of a tool",
  (it) => {
    it.scoped("asks as the policy does, and calls only if whoever may approve it does", () =>
      Effect.gen(function*() {
        const server = yield* httpToolServer()
        yield* configured({ url: server.url("http") })
        yield* listed([tool("wipe", { isDestructive: true }), tool("send"), tool("mail")])
        assert.deepStrictEqual(yield* tested("wipe"), {
          ...unmade,
          outcome: "asks",
          class: "destructive",
          detail: "The preset balanced asks about it.",
          may_approve: true
        })
        yield* rule([
          { effect: "ask", tool: "shop__send", because: "it writes to customers" },
          {
            effect: "deny",
            tool: "shop__mail",
            when: { args: { "/to": { is: "all" } } },
            because: "nobody mails all customers"
          }
        ])
        assert.deepInclude(yield* tested("send"), {
          outcome: "asks",
          detail: "Rule 1 asks about it: it writes to customers"
        })
        assert.deepStrictEqual(yield* tested("mail", { arguments: { to: "all" }, approved: true }), {
          ...unmade,
          outcome: "denied",
          class: "outside",
          detail: "Rule 2 denies it: nobody mails all customers"
        })
        assert.deepStrictEqual(server.called(), [], "nothing was called")
        assert.deepInclude(yield* tested("wipe", { approved: true }), { outcome: "answered" })
        assert.deepInclude(yield* tested("send", { approved: true }), { outcome: "answered" })
        assert.deepInclude(yield* tested("mail", { arguments: { to: "one" } }), { outcome: "answered" })
        assert.deepStrictEqual(server.called(), ["wipe", "send", "mail"])
        yield* rule([], { classes: { "shop__wipe": "read" } })
        assert.deepInclude(yield* tested("wipe"), { outcome: "answered", class: "read" })
      }))

    it.scoped("says that a server needs a sign-in, and that a tool asks a person", () =>
      Effect.gen(function*() {
        const locked = yield* httpToolServer({
          admits: (_, response) => {
            response.writeHead(401, { "www-authenticate": "Bearer" }).end()
            return false
          }
        })
        yield* configured({ url: locked.url("http"), auth: "oauth" })
        yield* listed([tool("book")])
        assert.deepInclude(yield* tested("book"), {
          outcome: "needs_sign_in",
          detail: "The tool server shop needs a sign-in: connect it, then try again."
        })
        const asking = yield* askingServer({
          book: ({ responses }) =>
            responses === undefined
              ? {
                resultType: "input_required",
                inputRequests: {
                  one: {
                    method: "elicitation/create",
                    params: {
                      message: "Which table?",
                      requestedSchema: {
                        type: "object",
                        properties: { table: { type: "string" } }
                      }
                    }
                  }
                }
              }
              : text("booked")
        })
        yield* configured({ url: asking.url })
        yield* listed([tool("book")])
        const { detail, outcome } = yield* tested("book")
        assert.strictEqual(outcome, "failed")
        assert.include(String(detail), "Which table?")
        assert.include(String(detail), "A test can't answer what a tool asks")
      }))
  }
)
