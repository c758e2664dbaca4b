import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { hosted, People, send } from "./hosted.ts"
import { isProblem } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"
import { configured, listed, object, reported, selfHosted, tested, tool } from "./toolTests.ts"

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
