import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../support/Processes.ts"
import { entry } from "../support/ToolServerFixture.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"

/** Tests of the configuration of tool servers. */
export const toolServerForms = (test: Test): void => {
  test("configure tool servers by form and JSON without showing secrets, and accept a tool that changed", function*(
    { client, faults, follow, open, page, press, sees, type }
  ) {
    yield* open("tool-servers")
    yield* sees("No tool servers yet")
    yield* looksRight(page, "tool-servers-none")
    yield* press("Add GitHub")
    yield* sees("Needs: a personal access token of GitHub")
    const address = page.getByLabel("Address", { exact: true })
    assert.strictEqual(yield* Effect.promise(() => address.inputValue()), "https://api.githubcopilot.com/mcp/")
    yield* press("Cancel")
    yield* press("Add a server")
    yield* type("Name", "good")
    yield* type("Command", "")
    yield* type("Environment variables", "TOKEN")
    yield* press("Save and connect")
    yield* sees("is not written as NAME=value")
    yield* type("Environment variables", "TOKEN=hush-hush")
    yield* press("Save and connect")
    yield* sees("The server was not saved")
    const { args, command } = entry()
    yield* type("Command", command)
    yield* type("Arguments", args.join("\n"))
    yield* looksRight(page, "tool-server-form")
    yield* press("Save and connect")
    yield* Effect.promise(() => page.getByRole("heading", { name: "good" }).waitFor())

    yield* press("Change")
    const variables = page.getByLabel("Environment variables", { exact: true })
    yield* Effect.promise(() => variables.fill("TOKEN=********\nMODE=new"))
    yield* sees("Type the value of TOKEN again.")
    yield* press("Save and connect")
    yield* Effect.promise(() => page.getByRole("dialog").getByText(/^The value itself:/).first().waitFor())
    yield* Effect.promise(() => variables.fill("TOKEN=hush-again\nMODE=new"))
    yield* Effect.promise(() => page.getByText("Type the value of").waitFor({ state: "detached" }))
    yield* press("Cancel")

    yield* press("Edit as JSON")
    const json = page.getByLabel("Configuration as JSON")
    yield* Effect.promise(() => json.waitFor())
    const shown = yield* Effect.promise(() => json.inputValue())
    assert.include(shown, "\"TOKEN\": \"********\"")
    assert.notInclude(shown, "hush")
    yield* Effect.promise(() => json.fill("{"))
    yield* press("Save and connect")
    yield* sees("This is not JSON")
    const { mcpServers } = JSON.parse(shown)
    const broken = { command: "node", args: ["--eval", "process.exit(3)"] }
    yield* Effect.promise(() => json.fill(JSON.stringify({ mcpServers: { ...mcpServers, broken } })))
    yield* press("Save and connect")
    yield* sees("Not connected")
    yield* Effect.promise(() => page.getByRole("button", { name: "Copy the error of broken" }).waitFor())

    yield* client.submit("redefines", { message: "use good__redefine {}" })
    const status = client.send("GET", "/api/mcp/status")
    yield* until("a tool has changed", Effect.map(status, ({ body }) => JSON.stringify(body).includes("\"changed\"")))
    yield* press("Reload")
    yield* sees("1 tool changed or new")
    yield* looksRight(page, "tool-servers")
    yield* Effect.promise(() => page.getByRole("link", { name: /^\d+ tools$/ }).first().click())
    yield* sees("Changed, off")
    yield* looksRight(page, "server-tools")
    yield* press("Accept it")
    yield* Effect.promise(() => page.getByText("Changed, off").waitFor({ state: "detached" }))
    yield* press("Close")
    yield* Effect.promise(() => page.getByText("1 tool changed or new").waitFor({ state: "detached" }))
    yield* Effect.promise(() =>
      page.getByRole("region", { name: "broken" }).getByRole("button", { name: "Delete" }).click()
    )
    yield* press("Delete the server")
    yield* Effect.promise(() => page.getByRole("heading", { name: "broken" }).waitFor({ state: "detached" }))
    yield* follow("Skills")
    // The browser reports the configuration that the service refused.
    assert.deepStrictEqual(faults.filter((fault) => !fault.includes("400")), [])
  })
}
