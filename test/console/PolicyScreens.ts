import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../support/Processes.ts"
import { entry } from "../support/ToolServerFixture.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"

const change = (revision: number, rules: ReadonlyArray<object>) => ({ revision, rules })

/** Tests about the policy, for a service without rules and without calls of tools. They leave no rule. */
export const policyScreens = (test: Test): void => {
  test("has a rule written with all its terms, tests it on past calls, saves it, and shows who changed what", function*(
    { client, faults, open, page, press, sees, type }
  ) {
    const task = yield* client.submit("writes", {
      message: "use write_file {\"path\": \"hello.txt\", \"content\": \"Hello\"}"
    })
    yield* until("a task has ended", Effect.map(client.find(task), ({ status }) => status === "completed"))
    yield* open("policy")
    yield* sees("There are no rules")

    yield* press("Add a rule")
    yield* press("Add the rule")
    yield* sees("Which tool?")
    yield* Effect.promise(() => page.getByLabel("Deny it").check())
    yield* type("Tool", "write_file")
    yield* type("Because", "files are read-only.")
    yield* Effect.promise(() => page.getByText("Only if …").click())
    yield* press("Test an argument")
    yield* type("Argument 1", "path")
    yield* Effect.promise(() => page.getByLabel("Test of argument 1", { exact: true }).selectOption("is like"))
    yield* press("Add the rule")
    yield* sees("What must it be?")
    yield* type("Value of argument 1", "*.txt")
    yield* Effect.promise(() =>
      page.getByRole("group", { name: "Where the request came from" }).getByLabel("console and API").check()
    )
    yield* sees("Deny write_file if /path is like \"*.txt\" and the source is api, because files are read-only.")
    yield* looksRight(page, "policy-rule")
    yield* press("Add the rule")
    yield* sees("Your changes are not saved")

    yield* press("Test the changed rules")
    yield* sees("1 call would have been decided otherwise")
    yield* looksRight(page, "policy-test")
    const link = page.getByRole("link", { name: `Task ${task.slice(-8)}` })
    assert.include(yield* Effect.promise(() => link.getAttribute("href")), `/tasks/${task}`)

    yield* Effect.promise(() => page.reload())
    yield* sees("Your changes are not saved")
    yield* press("Save")
    yield* sees("Saved as revision 1")
    yield* Effect.promise(() => page.getByText("Your changes are not saved").waitFor({ state: "detached" }))

    yield* press("Delete rule 1")
    yield* press("Discard")
    yield* press("Change rule 1")
    yield* type("Tool", "write_fil")
    yield* press("Change the rule")
    yield* press("Save")
    yield* sees("Never applies: no known tool is named write_fil.")
    yield* open("policy?view=history")
    yield* sees("Revision 2")
    yield* Effect.promise(() =>
      page.getByRole("list", { name: "What revision 2 changed" }).getByText(/^Added: Deny write_fil if/).waitFor()
    )
    assert.deepStrictEqual(faults, [])
  })

  test("says in words that somebody else has saved rules meanwhile, and loses nothing", function*(
    { client, faults, open, page, press, sees, type }
  ) {
    const { body } = yield* client.send("GET", "/api/policy")
    const { revision } = body as { readonly revision: number }
    yield* open("policy")
    yield* sees("Where no rule decides")
    yield* press("Add a rule")
    yield* type("Tool", "mine__*")
    yield* press("Add the rule")
    yield* client.send("PUT", "/api/policy", change(revision, [{ effect: "deny", tool: "theirs__*" }]))
    yield* press("Save")
    yield* sees("Somebody has saved other rules meanwhile")
    yield* sees(`You changed revision ${revision}; revision ${revision + 1} is in effect now.`)
    yield* Effect.promise(() =>
      page.getByRole("list", { name: "What the changes do" }).getByText(/Removed: Deny theirs__\*/).waitFor()
    )
    yield* looksRight(page, "policy-stale")
    yield* press("Save mine over theirs")
    yield* sees(`Saved as revision ${revision + 2}`)
    // The browser reports the change that the service refused.
    assert.deepStrictEqual(faults.filter((fault) => !fault.includes("409")), [])
  })

  test("shows the class of every tool with where it comes from, and sets one", function*(
    { client, faults, open, page, press, sees, type }
  ) {
    yield* client.send("POST", "/api/mcp/configure", { mcpServers: { good: entry() } })
    const tools = Effect.map(client.send("GET", "/api/policy/tools"), ({ body }) => JSON.stringify(body))
    yield* until("the server's tools are known", Effect.map(tools, (text) => text.includes("good__redefine")))
    yield* open("policy?view=classes")
    yield* Effect.promise(() => page.getByRole("row", { name: /^send_email outside Built in/ }).waitFor())
    yield* Effect.promise(() => page.getByLabel("Class of good__redefine", { exact: true }).selectOption("destructive"))
    yield* type("Tools, as a pattern of their names", "good__*")
    yield* press("Set the class")
    yield* press("Save")
    yield* sees("Saved as revision")
    yield* Effect.promise(() => page.getByRole("row", { name: /^good__redefine destructive Set here/ }).waitFor())
    yield* looksRight(page, "policy-classes")
    yield* press("Delete the class of good__*")
    yield* press("Save")
    yield* Effect.promise(() => page.getByText("Your changes are not saved").waitFor({ state: "detached" }))
    const { body } = yield* client.send("GET", "/api/policy")
    assert.deepStrictEqual((body as { readonly classes: object }).classes, { good__redefine: "destructive" })
    assert.deepStrictEqual(faults, [])
  })

  test("has every mail shown before it is sent, by one switch", function*({ faults, open, page, press, sees }) {
    yield* open("policy")
    const all = page.getByLabel("Show me every mail before it is sent")
    const rule = page.getByText("Ask the requester or an owner or admin before send_email.", { exact: true })
    yield* Effect.promise(() => all.check())
    yield* press("Save")
    yield* sees("Saved as revision")
    yield* Effect.promise(() => rule.waitFor())
    yield* Effect.promise(() => page.reload())
    yield* until("the switch is on", Effect.promise(() => all.isChecked()))
    yield* Effect.promise(() => all.uncheck())
    yield* press("Save")
    yield* Effect.promise(() => rule.waitFor({ state: "detached" }))
    assert.deepStrictEqual(faults, [])
  })

  test("has a grant proposed after five equal approvals, with how many calls it would have covered", function*(
    { client, faults, open, page, press, sees }
  ) {
    const policy = yield* client.send("GET", "/api/policy")
    const { revision } = policy.body as { readonly revision: number }
    yield* client.send("PUT", "/api/policy", change(revision, [{ effect: "ask", tool: "write_file" }]))
    yield* Effect.addFinalizer(() => Effect.orDie(client.send("PUT", "/api/policy", change(revision + 1, []))))
    const writes = (content: string) =>
      Effect.gen(function*() {
        const message = `use write_file ${JSON.stringify({ path: "log.txt", content })}`
        const id = yield* client.submit(content, { message })
        yield* until("it asks", Effect.map(client.find(id), ({ status }) => status === "waiting_input"))
        return yield* client.find(id)
      })
    for (const content of ["one", "two", "three", "four", "five"]) {
      const { id, last_tool_call_id } = yield* writes(content)
      yield* client.send("POST", `/task/${id}/approvals`, {
        decisions: [{ tool_call_id: last_tool_call_id, decision: "approve" }]
      })
    }
    const { id, question } = yield* writes("six")
    assert.include(question ?? "", "5 of the last 5 calls of write_file that a person decided about were like this one")
    yield* open(`tasks/${id}`)
    yield* sees("5 of the last 5 calls were like this one, with the same path, and all of these were approved.")
    yield* looksRight(page, "approval-proposal")
    yield* press("Approve later ones too")
    yield* sees("It would have covered 5 of the last 5 calls of it that were decided.")
    yield* Effect.promise(() => page.getByRole("button", { name: /^Approve/ }).first().click())
    yield* until("it has written", Effect.map(client.find(id), ({ status }) => status === "completed"))
    const { body } = yield* client.send("GET", "/api/grants")
    assert.deepInclude((body as ReadonlyArray<object>)[0], {
      tool: "write_file",
      scope: "agent",
      same: ["/path"],
      values: { "/path": "log.txt" }
    })
    const seventh = yield* client.submit("seven", {
      message: `use write_file ${JSON.stringify({ path: "log.txt", content: "seven" })}`
    })
    yield* until("it has written unasked", Effect.map(client.find(seventh), ({ status }) => status === "completed"))
    assert.deepStrictEqual(faults, [])
  })
}
