import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { AgentName } from "@troupe/domain/Agent"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { Shutdown } from "../../../src/Http/NodeServer.ts"
import { makeFakes } from "../../Http/Fakes.ts"
import { app, layerSettings } from "../../Http/TestServer.ts"
import { agentText, makePlace } from "./agents.ts"

type Client = Effect.Effect.Success<ReturnType<typeof TroupeClient.make>>
type Place = Effect.Effect.Success<typeof makePlace>

const withAgents = <A, E>(f: (client: Client, place: Place) => Effect.Effect<A, E, HttpClient.HttpClient>) => () =>
  Effect.gen(function*() {
    const place = yield* makePlace
    place.put("builtin/alpha.md", agentText("Bakes bread."))
    const skills = { builtIn: "/nowhere", custom: join(place.base, "skills") }
    const server = app({ ...makeFakes(), agents: place, skills }).pipe(
      Layer.provideMerge(NodeHttpServer.layerTest),
      Layer.provide([Shutdown.layer, layerSettings({ ALLOWED_HOSTS: "0.0.0.0" })])
    )
    return yield* Effect.flatMap(TroupeClient.make(), (client) => f(client, place)).pipe(Effect.provide(server))
  }).pipe(Effect.scoped)

const draft = { name: AgentName.make("sales"), description: "Sells.", instructions: "Sell." }

describe("Agents over HTTP", () => {
  it.live(
    "an agent is created, read, changed and deleted; a taken name is 409, an unknown one 404 with the nearest, a wrong draft 400",
    withAgents((client) =>
      Effect.gen(function*() {
        const [made, response] = yield* client.agents.create({ payload: draft, withResponse: true })
        assert.strictEqual(response.status, 201)
        assert.deepInclude(made, {
          ...draft,
          model: null,
          tools: null,
          disallowed_tools: [],
          skills: null,
          max_tokens_total: null,
          max_iterations: null,
          memory: "shared",
          channels: [],
          webhooks: [],
          mailboxes: [],
          max_cost: null,
          source: "folder",
          path: "sales.md",
          warnings: []
        })
        assert.match(made.revision, /^[0-9a-f]{12}$/)
        const path = { agent_name: "sales" }
        assert.deepStrictEqual(yield* client.agents.find({ path }), made)
        assert.strictEqual((yield* Effect.flip(client.agents.create({ payload: draft })))._tag, "AgentNameTaken")
        assert.include(
          (yield* Effect.flip(client.agents.find({ path: { agent_name: "sale" } }))).message,
          "Did you mean sales?"
        )
        const changed = yield* client.agents.update({ path, payload: { max_iterations: 12 } })
        assert.strictEqual(changed.max_iterations, 12)
        assert.notStrictEqual(changed.revision, made.revision)
        assert.deepStrictEqual(
          (yield* client.agents.list({ urlParams: {} })).map(({ name, source }): unknown => [name, source]),
          [["alpha", "built-in"], ["sales", "folder"]]
        )
        const [, gone] = yield* client.agents.remove({ path, withResponse: true })
        assert.strictEqual(gone.status, 204)
        const { execute } = yield* HttpClient.HttpClient
        const wrong = yield* execute(
          HttpClientRequest.post("/api/agents").pipe(
            HttpClientRequest.bodyUnsafeJson({ ...draft, name: "Not Kebab", max_tokens_total: 3 })
          )
        )
        assert.strictEqual(wrong.status, 400)
        assert.include(yield* wrong.text, "max_tokens_total")
      })
    )
  )

  it.live(
    "what an agent names that is not here is in its warnings, and a reload lists broken files",
    withAgents((client, place) =>
      Effect.gen(function*() {
        place.put(
          "own/beta.md",
          agentText(
            "B.",
            "tools: read_file, Grep, crm__*\nskills: nothing\nmodel: opus\nsummary_model: haiku\nmax_iterations: 500\nchannels: ops\n"
          )
        )
        place.put("own/gamma.md", agentText("C.", "channels: ops\n"))
        place.put("own/broken.md", "x")
        const { added, count, errors } = yield* client.agents.reload()
        assert.deepStrictEqual([added, count, errors.length], [[AgentName.make("beta"), AgentName.make("gamma")], 3, 1])
        const all = yield* client.agents.list({ urlParams: {} })
        assert.deepStrictEqual(all.map(({ warnings }) => warnings), [
          [],
          [
            "tools: there is no tool Grep here.",
            "tools: crm__* matches no tool that there is now",
            "skills: there is no skill nothing here",
            "model: there is no model opus here; the default model answers",
            "summary_model: there is no model haiku here; the default model answers",
            "max_iterations: 200 (AGENT_MAX_ITERATIONS) is the most; it has that"
          ],
          ["channels: ops belongs to the agent beta, which comes first by name"]
        ])
      })
    )
  )

  it.live(
    "a script of a skill that is a tool is known by its name and by a glob",
    withAgents((client, place) =>
      Effect.gen(function*() {
        const tools = "tools:\n  - {name: find, description: Finds a customer, script: find.sh}\n"
        place.put("skills/crm/SKILL.md", `---\nname: crm\ndescription: Customers.\n${tools}---\n\nDo it.\n`)
        place.put("skills/crm/scripts/find.sh", "echo found\n")
        yield* client.skills.reload()
        const warningsOf = (name: string, tools: ReadonlyArray<string>) =>
          Effect.map(
            client.agents.create({ payload: { ...draft, name: AgentName.make(name), tools } }),
            ({ warnings }) => warnings
          )
        assert.deepStrictEqual(yield* warningsOf("by-name", ["crm__find"]), [])
        assert.deepStrictEqual(yield* warningsOf("by-glob", ["crm__*"]), [])
        assert.deepStrictEqual(yield* warningsOf("wrong", ["read_file", "crm__fine"]), [
          "tools: there is no tool crm__fine here. Did you mean crm__find?"
        ])
      })
    )
  )
})
