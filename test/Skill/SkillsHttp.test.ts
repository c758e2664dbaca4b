import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { SkillGenerated, SkillMatches, SkillSimilarity } from "@troupe/api/SkillsApi"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { SkillDetail } from "@troupe/domain/Skill"
import { Effect, Layer } from "effect"
import { Shutdown } from "../../src/Http/NodeServer.ts"
import { Model, ModelUnavailable } from "../../src/Model/Model.ts"
import { makeSkillGeneration } from "../../src/Skill/SkillGeneration.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { makeFakes } from "../Http/Fakes.ts"
import { app, layerSettings } from "../Http/TestServer.ts"
import { fails, says, type ScriptedModel, scriptedModel } from "../support/ScriptedModel.ts"
import { makePlace, name, type Place, skillText } from "./place.ts"

const draft = { name: name("my-skill"), description: "Write haiku about trains.", instructions: "Count syllables." }

type Client = Effect.Effect.Success<ReturnType<typeof TroupeClient.make>>

/** The service over folders in which one built-in skill is. */
const withSkills = <A, E>(f: (client: Client, place: Place) => Effect.Effect<A, E, HttpClient.HttpClient>) => () =>
  Effect.gen(function*() {
    const place = yield* makePlace()
    place.put("builtin/alpha/SKILL.md", skillText("alpha", "Bake bread.", "tags: [sourdough]\n"))
    const server = app({ ...makeFakes(), skills: place }).pipe(
      Layer.provideMerge(NodeHttpServer.layerTest),
      Layer.provide([Shutdown.layer, layerSettings({ ALLOWED_HOSTS: "0.0.0.0", SKILLS_PATH: place.custom })])
    )
    return yield* Effect.flatMap(TroupeClient.make(), (client) => f(client, place)).pipe(Effect.provide(server))
  }).pipe(Effect.scoped)

const post = (path: string, body: unknown) =>
  Effect.flatMap(
    HttpClient.HttpClient,
    ({ execute }) => execute(HttpClientRequest.post(path).pipe(HttpClientRequest.bodyUnsafeJson(body)))
  )

const find = (client: Client, skill_name: string) => client.skills.find({ path: { skill_name } })

describe("Skills over HTTP", () => {
  it.live(
    "a skill has its script tools, and its warnings say why one is left out; an update through the API keeps them",
    withSkills((client, place) =>
      Effect.gen(function*() {
        const tools = "tools:\n- {name: now, description: Now., script: now.sh, class: read}\n"
          + "- {name: later, description: Later., script: later.sh}\n"
        place.put("custom/clock/SKILL.md", skillText("clock", "Tell the time.", tools))
        place.put("custom/clock/scripts/now.sh", "date")
        yield* client.skills.reload()
        const parameters = { type: "object", properties: {}, additionalProperties: false }
        const now = { name: "now", description: "Now.", script: "now.sh", parameters, class: "read" as const }
        const all = yield* client.skills.list({ urlParams: {} })
        assert.deepStrictEqual(all.find(({ name }) => name === "clock")?.tools, [now])
        const found = yield* find(client, "clock")
        assert.deepStrictEqual([found.tools, found.warnings], [
          [now],
          ["tools (later) is left out: there is no file scripts/later.sh"]
        ])
        const path = { skill_name: "clock" }
        const changed = yield* client.skills.update({ path, payload: { description: "Say the time." } })
        assert.deepStrictEqual([changed.description, changed.tools], ["Say the time.", [now]])
      })
    )
  )

  it.live(
    "a skill is created, read, changed and deleted; a taken name is 409, a wrong draft 400, and a built-in skill stays",
    withSkills((client, place) =>
      Effect.gen(function*() {
        const path = { skill_name: "my-skill" }
        const [made, response] = yield* client.skills.create({ payload: draft, withResponse: true })
        assert.strictEqual(response.status, 201)
        assert.deepInclude(made, { ...draft, source: "custom", scripts: [], tags: [], requirements_met: true })
        assert.deepStrictEqual(yield* find(client, "my-skill"), made)
        assert.strictEqual((yield* Effect.flip(client.skills.create({ payload: draft })))._tag, "SkillNameTaken")
        const changed = yield* client.skills.update({ path, payload: { tags: ["Haiku"] } })
        assert.deepStrictEqual([changed.tags, changed.instructions], [["haiku"], draft.instructions])
        const http = yield* HttpClient.HttpClient
        const renamed = yield* HttpClientRequest.put("/api/skills/my-skill").pipe(
          HttpClientRequest.bodyUnsafeJson({ name: "other", version: "2" }),
          http.execute,
          Effect.flatMap(HttpClientResponse.schemaBodyJson(SkillDetail))
        )
        assert.deepInclude(renamed, { name: draft.name, version: "2" })
        assert.deepStrictEqual(yield* client.skills.remove({ path }), { name: draft.name, deleted: true })
        assert.strictEqual((yield* Effect.flip(find(client, "my-skill")))._tag, "SkillNotFound")

        for (const wrong of [{ ...draft, name: "No Name" }, { ...draft, name: "x", instructions: " " }, {}]) {
          assert.strictEqual((yield* post("/api/skills/", wrong)).status, 400)
        }
        const reserved = yield* Effect.flip(client.skills.create({ payload: { ...draft, name: name("requirements") } }))
        assert.strictEqual(reserved._tag, "SkillInvalid")
        const kept = yield* Effect.flip(client.skills.remove({ path: { skill_name: "alpha" } }))
        assert.strictEqual(kept._tag, "SkillReadOnly")
        const copy = yield* client.skills.update({ path: { skill_name: "alpha" }, payload: { author: "Me" } })
        assert.strictEqual(copy.source, "custom")
        assert.notInclude(place.read("builtin/alpha/SKILL.md"), "Me")
        assert.strictEqual((yield* http.get("/api/skills/..%2Falpha")).status, 404)
      })
    )
  )

  it.live(
    "lists come by name, page by page, with and without the slash",
    withSkills((client) =>
      Effect.gen(function*() {
        yield* client.skills.create({ payload: draft })
        yield* client.skills.create({ payload: { ...draft, name: name("beta") } })
        const all = yield* client.skills.list({ urlParams: {} })
        assert.deepStrictEqual(all.map(({ name }): string => name), ["alpha", "beta", "my-skill"])
        assert.notProperty(all[0], "instructions")
        const [first, response] = yield* client.skills.list({ urlParams: { limit: 2 }, withResponse: true })
        assert.lengthOf(first, 2)
        assert.strictEqual(response.headers["link"], "</api/skills/?limit=2&cursor=beta>; rel=\"next\"")
        const rest = yield* client.skills.list({ urlParams: { limit: 2, cursor: name("beta") } })
        assert.deepStrictEqual(rest.map(({ name }): string => name), ["my-skill"])
        const http = yield* HttpClient.HttpClient
        assert.strictEqual((yield* http.get("/api/skills")).status, 200)
        const wrong = yield* http.execute(HttpClientRequest.del("/api/skills"))
        assert.deepStrictEqual([wrong.status, wrong.headers["allow"]], [405, "GET, POST, HEAD, OPTIONS"])
      })
    )
  )

  it.live(
    "match, similarity, requirements and reload answer in their schemas, with the defaults",
    withSkills((client, place) =>
      Effect.gen(function*() {
        const http = yield* HttpClient.HttpClient
        const match = (query: string) =>
          Effect.flatMap(post("/api/skills/match", { query }), HttpClientResponse.schemaBodyJson(SkillMatches))
        const { matches, threshold } = yield* match("about sourdough and many other things that nobody had in mind")
        assert.strictEqual(threshold, 0.6)
        assert.deepStrictEqual(matches.map(({ matched_by, name, score }) => [name, matched_by, score.toFixed(2)]), [
          ["alpha", ["tag"], "0.70"]
        ])
        const none = yield* client.skills.match({ payload: { query: "sourdough", max_skills: 0, threshold: 0 } })
        assert.isEmpty(none.matches)
        const query = encodeURIComponent("bake bread / 100%")
        const similarity = http.get(`/api/skills/debug/similarity/${query}`).pipe(
          Effect.flatMap(HttpClientResponse.schemaBodyJson(SkillSimilarity))
        )
        const similar = yield* similarity
        assert.deepInclude(similar, { query: "bake bread / 100%", threshold: 0.35 })
        assert.isAbove(similar.scores[0]?.semantic ?? 0, 0.3)
        assert.deepStrictEqual((yield* client.skills.requirements({})).skills.map(({ met }) => met), [true])
        const late = ["late1", "late2", "late3"]
        for (const one of late) place.put(`custom/${one}/SKILL.md`, skillText(one, "Fly.", "tags: [sourdough]\n"))
        place.put("custom/bad/SKILL.md", "nothing")
        const { added, count, errors } = yield* client.skills.reload({})
        assert.deepStrictEqual([added.map(String), count, errors.length], [late, 4, 1])
        assert.lengthOf((yield* match("sourdough")).matches, 3)
        const { scores } = yield* similarity
        assert.deepStrictEqual(scores.map(({ name, score }) => [name, score >= similar.threshold]), [
          ["alpha", true],
          ["late1", false],
          ["late2", false],
          ["late3", false]
        ])
      })
    )
  )
})

describe("A generated skill", () => {
  const description = "Plan a train journey with few changes"

  it.live(
    "comes from the offline model too, and is saved if wanted",
    withSkills((client, place) =>
      Effect.gen(function*() {
        const generate = (save?: boolean) =>
          Effect.flatMap(
            post("/api/skills/generate", { description, save }),
            HttpClientResponse.schemaBodyJson(SkillGenerated)
          )
        const proposed = yield* generate()
        assert.isFalse(proposed.saved)
        assert.strictEqual(proposed.skill.name, "plan-train-journey-few")
        assert.isFalse(place.names(".").includes("custom"))
        const { saved, skill } = yield* generate(true)
        assert.isTrue(saved)
        assert.deepStrictEqual(yield* find(client, skill.name), skill)
        assert.strictEqual((yield* generate(false)).skill.name, "plan-train-journey-few-2")
      })
    )
  )

  /** What becomes of the answers of a model, where a skill has the name alpha. */
  const generating = ({ model }: ScriptedModel) =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("builtin/alpha/SKILL.md", skillText("alpha"))
      const generate = yield* makeSkillGeneration.pipe(
        Effect.provideService(Skills, yield* place.skills),
        Effect.provideService(Model, model)
      )
      return (save = false) => generate(description, save)
    })

  const file = (skill: string) =>
    `\`\`\`markdown\n${skillText(skill, "Bake bread.", "requirements:\n  bins: [nope]\n")}\`\`\``

  it.scoped("is requested once more when it can't be read, gets a free name, also for that of an address, and requires nothing", () =>
    Effect.gen(function*() {
      const model = scriptedModel(
        says("Sure! I would do it so."),
        says(`Here it is:\n\n${file("alpha")}`),
        says(file("requirements"))
      )
      const generate = yield* generating(model)
      const { skill } = yield* generate()
      assert.strictEqual(skill.name, "alpha-2")
      assert.isEmpty(skill.requirements.bins)
      assert.lengthOf(model.requests, 2)
      assert.include(model.requests[1]?.messages.at(-1)?.content ?? "", "front matter")
      assert.strictEqual((yield* generate(true)).skill.name, "requirements-2")
    }))

  it.scoped("fails after the second attempt, with the reason, and while the model is unavailable", () =>
    Effect.gen(function*() {
      const model = scriptedModel(
        says("No."),
        says("No!"),
        fails(new ModelUnavailable({ provider: "openai", reason: "It is away." }))
      )
      const generate = yield* generating(model)
      const error = yield* Effect.flip(generate())
      assert.strictEqual(error._tag, "SkillNotGenerated")
      assert.lengthOf(model.requests, 2)
      const unavailable = yield* Effect.flip(generate())
      assert.deepStrictEqual([unavailable._tag, unavailable.message], ["SkillModelUnavailable", "It is away."])
    }))
})
