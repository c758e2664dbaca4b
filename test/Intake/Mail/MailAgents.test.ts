import { assert } from "@effect/vitest"
import { AgentName } from "@troupe/domain/Agent"
import { Effect } from "effect"
import { Agents } from "../../../src/Agent/Definition/Agents.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { mailText, received } from "./inbox.ts"

const given = (name: string, mailboxes: ReadonlyArray<string> = []) =>
  Effect.flatMap(Agents, (agents) =>
    Effect.ignore(
      agents.create({ name: AgentName.make(name), description: "Of a test.", instructions: "Do it.", mailboxes })
    ))

/** The agents of the tasks that mails with these headers make. */
const agentsOf = (...mails: ReadonlyArray<Readonly<Record<string, string>>>) =>
  Effect.gen(function*() {
    yield* received(
      mails.map((headers, n) => mailText(`Request ${n}`, { "Message-ID": `<m${n}@example.net>`, ...headers }))
    )
    const { query } = yield* Wire
    const rows = yield* query<{ agent: string | null }>("select agent from tasks order by description")
    return rows.map(({ agent }) => agent)
  })

inWorld("A mail", (test) => {
  test("to troupe+sales@ is for the agent sales, in any case, also where only the server says whom it was delivered to", function*() {
    yield* given("sales")
    assert.deepStrictEqual(
      yield* agentsOf(
        { To: "troupe+sales@example.org" },
        { To: "Sales <Troupe+Sales@Example.org>" },
        { To: "office@example.org", Cc: "troupe+sales@example.org" },
        { To: "list@example.org", "Delivered-To": "inbox+sales@example.org" }
      ),
      ["sales", "sales", "sales", "sales"]
    )
  })

  test("with a name that no agent has, or at another address than ours, makes a task all the same", function*() {
    yield* given("sales")
    assert.deepStrictEqual(
      yield* agentsOf({ To: "troupe+nobody@example.org" }, { To: "carl+sales@elsewhere.example, troupe@example.org" }),
      [null, null]
    )
  })

  test("goes to the agent that has its mailbox, unless its address names another", function*() {
    yield* given("sales")
    yield* given("desk", ["Support@example.org"])
    assert.deepStrictEqual(
      yield* agentsOf(
        { To: "support@example.org" },
        { To: "support@example.org, troupe+sales@example.org" },
        { To: "support+new@example.org" }
      ),
      ["desk", "sales", "desk"]
    )
  })
})
