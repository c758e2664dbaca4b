import { assert } from "@effect/vitest"
import { inputRequired } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { askingServer, text } from "../support/AskingServer.ts"
import { authorizationServer, protectedToolServer } from "../support/AuthorizationServer.ts"
import { eventually } from "../support/Eventually.ts"
import { inConsole } from "./Console.ts"
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

inConsole("A tool server in the console", (test) => {
  test("is connected, connected again and forgotten", function*({ client, faults, open, page, press, sees }) {
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
    assert.deepStrictEqual(faults.filter((fault) => !fault.startsWith(`request to ${authority.issuer}/authorize`)), [])
  })

  test("asks with a form, which is answered where the question is", function*(given) {
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
    yield* open("")
    yield* sees("Which table?")
    yield* looksRight(page, "server-form-inbox")
    yield* Effect.promise(() => page.getByRole("button", { name: "Decline" }).click())
    yield* eventually(
      Effect.sync(() => JSON.stringify(server.rounds().at(-1)?.responses ?? "")),
      (said) => said.includes("decline")
    )
    assert.deepStrictEqual(faults, [])
  })
}, Effect.succeed({ SECRETS_KEY: "k".repeat(32) }))
