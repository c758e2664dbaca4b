import { assert } from "@effect/vitest"
import { inputRequired } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { askingServer, text } from "../support/AskingServer.ts"
import { authorizationServer, protectedToolServer } from "../support/AuthorizationServer.ts"
import { eventually } from "../support/Eventually.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"

const table = {
  type: "object" as const,
  properties: {
    seats: { type: "integer" as const, minimum: 1, maximum: 8, title: "Seats" },
    where: { type: "string" as const, enum: ["inside", "outside"], title: "Where" },
    quiet: { type: "boolean" as const, title: "A quiet table", description: "Away from the kitchen" }
  },
  required: ["seats"]
}

const booking = askingServer({
  book: ({ responses }) =>
    responses === undefined
      ? inputRequired({
        inputRequests: { table: inputRequired.elicit({ message: "Which table?", requestedSchema: table }) }
      })
      : text(JSON.stringify(responses))
})

const search = {
  name: "search",
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: "object",
    properties: { seats: { type: "integer", title: "Seats" }, tags: { type: "array", items: { type: "string" } } },
    required: ["seats"]
  }
}
const wipe = {
  name: "wipe",
  annotations: { destructiveHint: true },
  inputSchema: { type: "object", properties: {}, additionalProperties: false }
}

/** Tests about tool servers, for a service that keeps secrets. */
export const toolServers = (test: Test): void => {
  test(
    "connects a tool server, connects it again and forgets it",
    function*({ client, faults, open, page, press, sees }) {
      const authority = yield* authorizationServer()
      const tools = yield* protectedToolServer(authority)
      yield* client.send("POST", "/api/mcp/configure", { mcpServers: { shop: { url: tools.address } } })
      yield* open("tool-servers?server=shop")
      yield* sees("Needs a sign-in")
      yield* looksRight(page, "sign-in-needed")
      yield* press("Connect")
      yield* sees("The tool server is connected")
      yield* looksRight(page, "sign-in-done")
      yield* Effect.promise(() => page.getByRole("link", { name: "Back to Troupe" }).click())
      yield* sees(`Signed in at ${authority.issuer} by you`)
      yield* sees("Connected")
      yield* Effect.promise(() => page.getByRole("button", { name: "Reconnect" }).waitFor())
      yield* looksRight(page, "sign-in-connected")
      yield* press("Forget")
      yield* Effect.promise(() => page.getByRole("dialog").getByRole("button").last().click())
      yield* sees("Needs a sign-in")
      yield* Effect.promise(() => page.getByRole("button", { name: "Connect", exact: true }).waitFor())
      // The page of the authorization server is of another origin.
      assert.deepStrictEqual(
        faults.filter((fault) => !fault.startsWith(`request to ${authority.issuer}/authorize`)),
        []
      )
    }
  )

  test("shows the form with which a tool server asks, and has it answered where the question is", function*(given) {
    const { client, faults, open, page, sees, type } = given
    const server = yield* booking
    yield* client.send("POST", "/api/mcp/configure", { mcpServers: { tables: { url: server.url } } })
    yield* eventually(client.send("GET", "/api/mcp/status"), ({ body }) => JSON.stringify(body).includes("\"book\""))
    const asks = Effect.gen(function*() {
      const id = yield* client.submit(randomUUID(), { message: "use tables__book {}" })
      yield* eventually(client.find(id), ({ status }) => status === "waiting_input")
      return id
    })
    const id = yield* asks
    yield* open(`tasks/${id}`)
    yield* sees("Which table?")
    yield* sees("Fill in the form of the question above, or answer here.")
    assert.strictEqual(yield* Effect.promise(() => page.getByRole("textbox").count()), 0, "no answer in words")
    yield* looksRight(page, "server-form")
    yield* type("Seats", "4")
    yield* Effect.promise(() => page.getByLabel("A quiet table").check())
    yield* Effect.promise(() => page.getByRole("button", { name: "Answer" }).click())
    yield* eventually(client.find(id), ({ status }) => status === "completed")
    assert.include(JSON.stringify(server.rounds().at(-1)?.responses), "\"seats\":4,\"quiet\":true")

    yield* asks
    yield* open("?kind=question")
    yield* sees("Which table?")
    yield* looksRight(page, "server-form-inbox")
    yield* Effect.promise(() => page.getByRole("button", { name: "Decline" }).click())
    yield* eventually(
      Effect.sync(() => JSON.stringify(server.rounds().at(-1)?.responses ?? "")),
      (said) => said.includes("decline")
    )
    assert.deepStrictEqual(faults, [])
  })

  test(
    "has the tools of a server tested with a form, as the policy allows it, and shows the result or why it failed",
    function*(given) {
      const { client, faults, open, page, press, sees } = given
      const seen: Array<unknown> = []
      const server = yield* httpToolServer({
        list: () => ({ result: { tools: [search, wipe] } }),
        call: (name, args) => {
          seen.push([name, args])
          return name === "wipe"
            ? { result: { isError: true, content: [{ type: "text", text: "Nothing was there" }] } }
            : { result: { content: [{ type: "text", text: "Two tables are free" }] } }
        }
      })
      yield* client.send("POST", "/api/mcp/configure", { mcpServers: { garden: { url: server.url("http") } } })
      yield* eventually(client.send("GET", "/api/mcp/status"), ({ body }) => JSON.stringify(body).includes("\"wipe\""))
      yield* open("tool-servers?server=garden")
      const tool = (name: string) => page.getByRole("dialog").getByRole("group").filter({ hasText: name })
      const tested = (name: string) => tool(name).getByRole("status", { name: "Result of the test" })
      yield* Effect.promise(() => tool("search").locator("summary").first().click())
      yield* press("Test this tool")
      yield* Effect.promise(() => tool("search").getByLabel("Seats", { exact: true }).fill("3"))
      yield* Effect.promise(() => tool("search").getByLabel("tags (optional)").fill("quiet"))
      yield* press("Call it")
      yield* sees("This is not JSON")
      yield* Effect.promise(() => tool("search").getByLabel("tags (optional)").fill("[\"quiet\"]"))
      yield* press("Call it")
      yield* Effect.promise(() => tested("search").getByText("Two tables are free").waitFor())
      yield* sees("The tool answered")
      yield* looksRight(page, "tool-test")
      assert.deepStrictEqual(seen, [["search", { seats: 3, tags: ["quiet"] }]])
      yield* press("Close the test")

      yield* Effect.promise(() => tool("wipe").locator("summary").first().click())
      yield* Effect.promise(() => tool("wipe").getByRole("button", { name: "Test this tool" }).click())
      yield* press("Call it")
      yield* sees("The policy asks before this call; nothing was sent")
      assert.lengthOf(seen, 1)
      yield* press("Approve and call")
      yield* sees("The tool failed")
      yield* Effect.promise(() => tested("wipe").getByText("Nothing was there").waitFor())
      assert.lengthOf(seen, 2)
      assert.deepStrictEqual(faults, [])
    }
  )
}
