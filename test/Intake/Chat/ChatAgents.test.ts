import { request } from "@effect/platform-node/Undici"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ends, inChat, said, Service } from "./service.ts"

const channel = "CGENERAL"
const mention = (text: string) => ({ channel, user: "UADA", text: `<@UTROUPE> ${text}` })

const all = Effect.flatMap(Service, ({ query }) =>
  query<{ id: string; description: string; agent: string | null }>(
    "select id::text, description, agent from tasks order by id"
  ))

const last = Effect.map(all, (rows) => rows.at(-1))

const given = (name: string, fields: object) =>
  Effect.flatMap(Service, ({ url }) =>
    Effect.promise(() =>
      request(`${url}/api/agents`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name, description: "Of a test.", instructions: "Do it.", ...fields })
      })
    ))

inChat("Agents in the team chat", (test) => {
  test("a mention that begins with an agent's name makes a task of that agent, in any case and marked", function*() {
    for (const name of ["researcher:", "Researcher:", "*researcher*:", "*researcher:*", "`researcher`:"]) {
      yield* said(mention(`${name} compare the offers`))
      const { agent, description } = (yield* last) ?? {}
      assert.deepStrictEqual([agent, description], ["researcher", "compare the offers"], name)
    }
    yield* said({ channel: "DADA", user: "UADA", text: "researcher: and in private" })
    assert.strictEqual((yield* last)?.agent, "researcher")
  })

  test("a name that no agent has is part of the request, and nothing is lost", function*() {
    for (const text of ["reserchr: compare the offers", "question: which one?", "researcher:"]) {
      yield* said(mention(text))
      assert.deepInclude(yield* last, { agent: null, description: text })
    }
  })

  test("a channel's requests go to the agent that names it, by name or id, unless they name another", function*() {
    yield* given("helper", { channels: ["#general"] })
    const { url } = yield* Service
    yield* Effect.promise(() => request(`${url}/api/channels/sync`, { method: "POST" }))
    yield* said(mention("what is new?"))
    const made = yield* last
    assert.strictEqual(made?.agent, "helper")
    yield* ends(made?.id ?? "")
    yield* said(mention("researcher: look it up"))
    assert.strictEqual((yield* last)?.agent, "researcher")
    yield* said({ channel: "DADA", user: "UADA", text: "in private" })
    assert.isNull((yield* last)?.agent)
  })

  test("a schedule that is set with an agent's name runs as that agent", function*() {
    const { query } = yield* Service
    yield* said(mention("weekly-report: every friday at 15:00 write the report"))
    assert.deepStrictEqual(yield* query("select agent, message from schedules"), [
      { agent: "weekly-report", message: "write the report" }
    ])
  })
})
