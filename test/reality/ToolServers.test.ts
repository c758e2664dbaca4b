import { assert, describe, it } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import { Effect } from "effect"
import type { ToolUser } from "../../src/Tool/Toolboxes.ts"
import { httpToolServer, type Refusal, type ServerAnswers } from "../support/HttpToolServer.ts"
import { contentOf } from "../Tool/calls.ts"
import { world } from "../Tool/serverTools.ts"
import { onDatabase } from "../ToolServer/world.ts"

const parent: ToolUser = { type: "task", creator: defaultUser, agentType: null, toolAccess: "all" }
const subagent: ToolUser = { type: "subtask", creator: defaultUser, agentType: "general", toolAccess: "all" }

/** The agents' tools with a server of ours over HTTP. */
const withServer = (answers: ServerAnswers = {}, transport: "http" | "sse" = "http") =>
  Effect.gen(function*() {
    const server = yield* httpToolServer(answers)
    const { open, report, servers } = yield* world({ srv: { url: server.url(transport), type: transport } })
    return { server, servers, report, open }
  })

const tool = (name: string) => ({ name, inputSchema: { type: "object" } })

describe("A list of tools", () => {
  it.scopedLive("whose last page has an empty cursor that the server refuses: its tools count", () =>
    Effect.gen(function*() {
      const { report } = yield* withServer({
        list: (cursor) =>
          cursor === undefined
            ? { result: { tools: [tool("a"), tool("b")], nextCursor: "" } }
            : { error: { code: -32_602, message: "Invalid cursor" } }
      })
      assert.deepInclude(report.servers[0], { status: "connected", tools: ["a", "b"], warnings: [] })
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("with a page that fails and a tool that can't be used: the others stay, and the status says why", () =>
    Effect.gen(function*() {
      const { report } = yield* withServer({
        list: (cursor) =>
          cursor === undefined
            ? { result: { tools: [tool("a"), { description: "nameless" }, { name: "b" }], nextCursor: 7 } }
            : { error: { code: -32_603, message: "out of memory" } }
      })
      assert.deepInclude(report.servers[0], {
        status: "connected",
        tools: ["a", "b"],
        warnings: [
          "page 2 of its tools could not be read: MCP error -32603: out of memory",
          "tool 2 of its list is left out: it has no name of 1 to 256 characters that can be stored"
        ]
      })
    }).pipe(Effect.provide(onDatabase)))
})

describe("A result", () => {
  it.scopedLive("with rows beside its text, a text as content, or none: the agent gets what there is", () =>
    Effect.gen(function*() {
      const results: Readonly<Record<string, unknown>> = {
        rows: { content: [{ type: "text", text: "2 items" }], structuredContent: { items: ["bolt", "nut"] } },
        text: { content: "12 open tickets" },
        none: {}
      }
      const { open } = yield* withServer({
        list: () => ({ result: { tools: Object.keys(results).map(tool) } }),
        call: (name) => ({ result: results[name] })
      })
      const toolbox = yield* open(parent)
      const said = (name: string) => contentOf(toolbox, `srv__${name}`, {})
      assert.strictEqual(yield* said("rows"), "2 items\n{\n \"items\": [\n  \"bolt\",\n  \"nut\"\n ]\n}")
      assert.strictEqual(yield* said("text"), "12 open tickets")
      assert.strictEqual(yield* said("none"), "Done; the tool returned nothing.")
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("that is an error of the protocol: its data reaches the agent, and it is not in doubt", () =>
    Effect.gen(function*() {
      const errors: Readonly<Record<string, unknown>> = {
        data: { code: -32_602, message: "Invalid params", data: { field: "due", reason: "in the past" } },
        timeout: { code: -32_001, message: "The database did not answer" }
      }
      const { open } = yield* withServer({
        list: () => ({ result: { tools: Object.keys(errors).map(tool) } }),
        call: (name) => ({ error: errors[name] })
      })
      const toolbox = yield* open(parent)
      assert.strictEqual(
        yield* contentOf(toolbox, "srv__data", {}),
        "Error: data of the tool server srv failed: MCP error -32602: Invalid params: "
          + "{\"field\":\"due\",\"reason\":\"in the past\"}."
      )
      assert.strictEqual(
        yield* contentOf(toolbox, "srv__timeout", {}),
        "Error: timeout of the tool server srv failed: MCP error -32001: The database did not answer."
      )
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("of a resource that is no list of contents: the agent gets what there is", () =>
    Effect.gen(function*() {
      let result: unknown = { contents: { uri: "a://b", text: "one resource" } }
      const server = yield* httpToolServer({ capabilities: { resources: {} }, other: () => ({ result }) })
      const { open } = yield* world({ srv: { url: server.url("http") } })
      const toolbox = yield* open(parent)
      const read = Effect.suspend(() => contentOf(toolbox, "srv__resources_read", { uri: "a://b" }))
      assert.include(yield* read, "a://b:\none resource")
      result = { contents: "a text" }
      assert.include(yield* read, "a text")
      result = { note: "nothing of the protocol" }
      assert.include(yield* read, "nothing of the protocol")
    }).pipe(Effect.provide(onDatabase)))
})

describe("A session that the server forgot", () => {
  const refusals: ReadonlyArray<Refusal> = [
    { status: 404, body: "" },
    { status: 400, body: "{\"error\":{\"code\":-32000,\"message\":\"Bad Request: No valid session ID provided\"}}" }
  ]
  for (const transport of ["http", "sse"] as const) {
    it.scopedLive(`over ${transport}: the calls that were not taken are made once in a new one, for tasks and subagents`, () =>
      Effect.gen(function*() {
        const { open, server } = yield* withServer({}, transport)
        for (const user of [parent, subagent]) {
          const toolbox = yield* open(user)
          const call = contentOf(toolbox, "srv__count", {})
          yield* call
          for (const refusal of refusals) {
            const [opened, called] = [server.opened(), server.called().length]
            server.forget(refusal)
            assert.deepStrictEqual(yield* Effect.all([call, call, call], { concurrency: 3 }), ["one", "one", "one"])
            assert.strictEqual(server.called().length - called, 3)
            if (user === subagent) assert.strictEqual(server.opened() - opened, 1)
          }
        }
      }).pipe(Effect.provide(onDatabase)))
  }

  it.scopedLive("and every new one too: the call fails, and is not in doubt", () =>
    Effect.gen(function*() {
      const { open, server } = yield* withServer({
        call: () => ({ error: { code: -32_001, message: "Session not found" } })
      })
      const toolbox = yield* open(parent)
      assert.strictEqual(
        yield* contentOf(toolbox, "srv__count", {}),
        "Error: count of the tool server srv failed: it refused a new session, too: MCP error -32001: Session not found."
      )
      assert.lengthOf(server.called(), 2)
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("is not what a failure of the server or a cut connection is: the call is made once, and is in doubt", () =>
    Effect.gen(function*() {
      const { open, server } = yield* withServer({ call: () => null })
      const toolbox = yield* open(parent)
      assert.match(yield* contentOf(toolbox, "srv__count", {}), / may have taken effect/)
      assert.lengthOf(server.called(), 1)
      const other = yield* withServer()
      const box = yield* other.open(parent)
      other.server.forget({ status: 503, body: "Unknown session" })
      assert.match(yield* contentOf(box, "srv__count", {}), / may have taken effect/)
      assert.lengthOf(other.server.called(), 0)
    }).pipe(Effect.provide(onDatabase)))
})
