import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { askingServer, text } from "../support/AskingServer.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { hosted, People, send } from "./hosted.ts"
import { isProblem } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"

/** The object in an answer. */
const object = (text: string): Readonly<Record<string, unknown>> => JSON.parse(text)

const digest = "d".repeat(64)
const tool = (name: string, hints: object = {}) => ({
  server: "shop",
  name,
  description: "",
  parameters: { type: "object" },
  isReadOnly: false,
  isIdempotent: false,
  digest,
  ...hints
})

/** The list of a server, as a worker has stored it; `accepted`: the tools whose definitions were accepted. */
const listed = (tools: ReadonlyArray<ReturnType<typeof tool>>, accepted = tools) =>
  Effect.gen(function*() {
    const { query } = yield* Service
    yield* query(
      `insert into tool_server_pins (server, accepted, listed) values ('shop', $1, $2)
on conflict (server) do update set accepted = excluded.accepted, listed = excluded.listed`,
      [JSON.stringify(accepted.map((one) => [one.name, one.digest])), JSON.stringify(tools)]
    )
  })

/** A worker has reported, so that nobody waits for one to connect the servers. */
const reported = (service: Service["Type"]) =>
  service.query(
    `insert into tool_server_reports (process, version, servers, reported_at)
values (gen_random_uuid(), 1000000, '[]', now() + interval '1 hour')`
  )

const selfHosted = Effect.map(
  Service,
  ({ port }) => (method: string, path: string, body?: unknown) => send(port, method, path, null, body)
)

const configured = (entry: object) =>
  Effect.gen(function*() {
    const call = yield* selfHosted
    const { status, text } = yield* call("POST", "/api/mcp/configure", { mcpServers: { shop: entry } })
    assert.strictEqual(status, 200, text)
  })

const tested = (name: string, body: object = {}) =>
  Effect.gen(function*() {
    const call = yield* selfHosted
    const { status, text } = yield* call("POST", `/api/mcp/servers/shop/tools/${encodeURIComponent(name)}/test`, body)
    assert.strictEqual(status, 200, text)
    return object(text)
  })

const rule = (rules: ReadonlyArray<object>, more: object = {}) =>
  Effect.gen(function*() {
    const call = yield* selfHosted
    const { revision } = object((yield* call("GET", "/api/policy")).text)
    const saved = yield* call("PUT", "/api/policy", { revision, rules, ...more })
    assert.strictEqual(saved.status, 200, saved.text)
  })

const unmade = { ok: false, may_approve: false, text: null, structured: null, latency_ms: null }
const picture = Buffer.from("no real picture").toString("base64")

layer(Layer.scoped(Service, Effect.tap(startService(), reported)), { excludeTestServices: true })(
  "A test of a tool",
  (it) => {
    it.scoped("makes the call and shows its result, with its structure, pictures by their size, and how long it took", () =>
      Effect.gen(function*() {
        const seen: Array<unknown> = []
        const server = yield* httpToolServer({
          call: (_, args) => {
            seen.push(args)
            return {
              result: {
                content: [{ type: "text", text: "Three seats" }, {
                  type: "image",
                  data: picture,
                  mimeType: "image/png"
                }],
                structuredContent: { seats: 3 }
              }
            }
          }
        })
        yield* configured({ url: server.url("http") })
        yield* listed([tool("seats", {
          isReadOnly: true,
          renamed: [["Wo_", "Wo?"]],
          parameters: {
            type: "object",
            properties: { Wo_: { type: "string" } }
          }
        })])
        const { latency_ms, ...answer } = yield* tested("seats", { arguments: { Wo_: "inside" } })
        assert.deepStrictEqual(answer, {
          ok: true,
          outcome: "answered",
          detail: "",
          class: "read",
          may_approve: false,
          text: "Three seats\n[A picture (image/png) of 15 bytes.]\n{\n \"seats\": 3\n}",
          structured: { seats: 3 }
        })
        assert.isAtLeast(Number(latency_ms), 0)
        assert.deepStrictEqual(seen, [{ "Wo?": "inside" }], "by the server's own names")
      }))

    it.scoped("shows why a call failed", () =>
      Effect.gen(function*() {
        const server = yield* httpToolServer({
          call: (name) =>
            name === "refuses"
              ? { error: { code: -32602, message: "seats is missing" } }
              : { result: { isError: true, content: [{ type: "text", text: "No table is free" }] } }
        })
        yield* configured({ url: server.url("http") })
        yield* listed([tool("refuses"), tool("fails")])
        const { latency_ms: _, ...refused } = yield* tested("refuses")
        assert.deepInclude(refused, { ok: false, outcome: "failed", class: "outside", text: null })
        assert.include(String(refused["detail"]), "seats is missing")
        assert.deepInclude(yield* tested("fails"), { outcome: "failed", detail: "No table is free" })
        yield* configured({ url: "http://127.0.0.1:9/mcp" })
        yield* listed([tool("fails")])
        assert.include(String((yield* tested("fails"))["detail"]), "The call failed: it can't be reached")
      }))

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

    it.scoped("is refused for a tool that is off or not there, and of a server that is not used", () =>
      Effect.gen(function*() {
        const call = yield* selfHosted
        const test = (server: string, name: string, body: object = {}) =>
          call("POST", `/api/mcp/servers/${server}/tools/${name}/test`, body)
        const notCallable = Effect.map(test("shop", "seats"), (answer) => {
          isProblem(answer, 409, "tool-not-callable")
          return answer.text
        })
        yield* configured({ url: "http://127.0.0.1:9/mcp" })
        yield* listed([tool("seats")], [])
        assert.include(yield* notCallable, "The tool is off")
        isProblem(yield* test("shop", "other"), 404, "tool-not-found")
        isProblem(yield* test("other", "seats"), 404, "tool-server-not-found")
        isProblem(yield* test("shop", "seats", { arguments: ["x"] }), 400, "invalid-request")
        yield* configured({ url: "http://127.0.0.1:9/mcp", disabled: true })
        yield* listed([tool("seats")])
        assert.include(yield* notCallable, "is disabled")
      }))
  }
)

layer(Layer.tap(hosted(), (context) => reported(Context.get(context, Service))), { excludeTestServices: true })(
  "A test of a tool of a hosted service",
  (it) => {
    it.effect("is for owner and admins where everybody uses the server, and else for each member within the rules", () =>
      Effect.gen(function*() {
        const { port } = yield* Service
        const { member, owner } = yield* People
        const configure = (entry: object) =>
          Effect.map(
            send(port, "POST", "/api/mcp/configure", owner, {
              mcpServers: { shop: { url: "https://tools.invalid/mcp", ...entry } }
            }),
            ({ status, text }) => assert.strictEqual(status, 200, text)
          )
        const test = (token: string | null, body: object = {}) =>
          send(port, "POST", "/api/mcp/servers/shop/tools/wipe/test", token, body)
        yield* configure({})
        yield* listed([tool("wipe", { isDestructive: true })])
        isProblem(yield* test(null), 401, "unauthenticated")
        isProblem(yield* test(member, { approved: true }), 403, "forbidden")
        assert.deepInclude(object((yield* test(owner)).text), { outcome: "asks", may_approve: true })
        yield* configure({ per_user: true })
        yield* listed([tool("wipe", { isDestructive: true })])
        assert.deepInclude(object((yield* test(member)).text), { outcome: "asks", may_approve: true })
        const rules = [{ effect: "ask", tool: "shop__*", who: ["admin"] }]
        assert.strictEqual((yield* send(port, "PUT", "/api/policy", owner, { revision: 0, rules })).status, 200)
        assert.deepInclude(object((yield* test(member)).text), { outcome: "asks", may_approve: false })
        isProblem(yield* test(member, { approved: true }), 403, "forbidden")
        // Approved; nothing is sent before the owner has signed in, too.
        assert.deepInclude(object((yield* test(owner, { approved: true })).text), { outcome: "needs_sign_in" })
      }))
  }
)
