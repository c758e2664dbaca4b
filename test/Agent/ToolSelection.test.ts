import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Array, Effect, FastCheck as fc } from "effect"
import { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import { isBuiltIn, selectTools } from "../../src/Agent/ToolSelection.ts"
import { ModelUnavailable } from "../../src/Model/Model.ts"
import { offlineModel } from "../../src/Model/Offline.ts"
import type { AgentTool } from "../../src/Tool/AgentTool.ts"
import { testVector } from "../Memory/embeddings.ts"
import { makePlace, type Place, skillText } from "../Skill/place.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { says, scriptedModel } from "../support/ScriptedModel.ts"
import { echo, kinds, makeLoop } from "./loop.ts"
import { type Given, preparing, run } from "./preparing.ts"

const builtIn = ["ask_human", "read_file", "run_skill_script"]
const ofServers = ["github__create_issue", "github__list_issues", "jira__search", "mail__send"]
const available = [...builtIn, ...ofServers]

describe("The tools bound to a model", () => {
  const names = fc.uniqueArray(fc.constantFrom(...available, "gone__tool"))
  const choice = fc.record({
    available: names,
    required: fc.array(fc.constantFrom("github", "JIRA", "read_file", "nothing")),
    matched: fc.option(names)
  })

  it("each exist and occur once, in the toolbox's order, for any request", () => {
    fc.assert(fc.property(choice, (given) => {
      const chosen = selectTools(given)
      assert.deepStrictEqual(chosen, given.available.filter((name) => chosen.includes(name)))
      assert.isTrue(given.available.filter(isBuiltIn).every((name) => chosen.includes(name)))
      for (const name of given.matched ?? []) {
        if (given.available.includes(name)) assert.include(chosen, name)
      }
      assert.deepStrictEqual(selectTools({ ...given, required: Array.dedupe(given.required).toReversed() }), chosen)
    }))
  })
})

/** A tool of a server, whose description lies at this angle. */
const described = (name: string, degrees: number) =>
  fakeTool(name, Effect.succeed("ok"), { description: `What it does @${degrees}` })

const tools = [
  ...[0, 10, 20, 30].map((degrees) => described(`one__at_${degrees}`, degrees)),
  ...[90, 100, 110, 120].map((degrees) => described(`two__at_${degrees}`, degrees)),
  described("mail__send", 225)
]

const working = (place: Place) =>
  run(place, {
    tools,
    model: scriptedModel(says("1. Begin @0\n2. Go on @90\n3. End @0")).model,
    embed: (texts) => Effect.succeed(texts.map(testVector)),
    options: { intentPreprocessing: true }
  })

const nearest = ["one__at_0", "one__at_10", "one__at_20", "two__at_90", "two__at_100", "two__at_110"]

describe("The tools of a task with work steps", () => {
  it.scopedLive("are the three whose descriptions are nearest to each step, each once", () =>
    Effect.gen(function*() {
      const { scripted, state } = yield* working(yield* makePlace())
      assert.deepStrictEqual(state().prepared?.tools, nearest)
      assert.deepStrictEqual(scripted.requests[0]?.tools.tools.map(({ name }) => name), ["echo", ...nearest])
    }))

  it.scopedLive("include those that its skills require, whatever its steps", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("builtin/bread/SKILL.md", skillText("bread", "Bake.", "tags: [sourdough]\nallowed-tools: MAIL\n"))
      const { scripted, state } = yield* working(place)
      assert.deepStrictEqual(state().prepared?.tools, nearest)
      for (const { tools } of scripted.requests) {
        assert.deepStrictEqual(tools.tools.map(({ name }) => name), ["echo", ...nearest, "mail__send"])
      }
    }))
})

describe("The skills of a task", () => {
  it.scopedLive("are the best matches, at most AGENT_MAX_SKILLS and three by default", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      for (const degrees of [50, 10, 40, 20, 30]) {
        place.put(`builtin/at-${degrees}/SKILL.md`, skillText(`at-${degrees}`, `Bakes bread @${degrees}`))
      }
      const namesWith = (given: Pick<Given, "options" | "threshold">) =>
        Effect.map(
          run(place, { ...given, embed: (texts) => Effect.succeed(texts.map(around)) }),
          ({ state }) => state().prepared?.skills.map(({ name }): string => name) ?? []
        )
      assert.deepStrictEqual(yield* namesWith({}), ["at-10", "at-20", "at-30"])
      assert.deepStrictEqual(yield* namesWith({ options: { maxSkills: 4 } }), ["at-10", "at-20", "at-30", "at-40"])
      assert.deepStrictEqual(yield* namesWith({ threshold: 0.95 }), ["at-10"])
      assert.deepStrictEqual(yield* namesWith({ options: { maxSkills: 0 } }), [])
    }))
})

/** Requests lie at no degrees. */
const around = (text: string) => testVector(text.includes("@") ? text : "@0")

/** Seventy tools, of which those with the last names are nearest to a request at no degrees. */
const many = Array.makeBy(70, (index) => described(`srv__tool_${String(index).padStart(2, "0")}`, 69 - index))
const numbered = (from: number, to: number) => many.slice(from, to).map(({ name }) => name)
const namesOf = (tools: { readonly tools: { readonly tools: ReadonlyArray<{ readonly name: string }> } } | undefined) =>
  tools?.tools.tools.map(({ name }) => name) ?? []

const embedAround = (texts: ReadonlyArray<string>) => Effect.succeed(texts.map(around))
const unavailable = () => Effect.fail(new ModelUnavailable({ provider: "openai", reason: "It is unavailable." }))

describe("The tools of a task with more than sixty of tool servers", () => {
  it.scopedLive("are the sixty nearest to its request, those that its skills require, and the built-in ones", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("builtin/bread/SKILL.md", skillText("bread", "Bake.", "tags: [sourdough]\nallowed-tools: tool_03\n"))
      const { journal, scripted, state } = yield* run(place, { tools: many, embed: embedAround })
      assert.sameMembers([...state().prepared?.tools ?? []], numbered(10, 70))
      const bound = ["echo", "srv__tool_03", ...numbered(10, 70)]
      assert.deepStrictEqual(scripted.requests.map(namesOf), [bound, bound])
      // Another run, in whatever process, goes on with what is journalled, whatever there is by then.
      const grown = [...many, described("srv__new", 0)]
      const prepared = journal.filter((step) => step.kind === "prepared")
      const again = yield* run(place, { tools: grown, embed: unavailable }, prepared)
      assert.isEmpty(again.embedded)
      assert.deepStrictEqual(again.scripted.requests.map(namesOf), [bound, bound])
    }))

  it.scopedLive("are the first sixty by name while there are no embeddings", () =>
    Effect.gen(function*() {
      const { scripted, state } = yield* run(yield* makePlace(), { tools: many.toReversed(), embed: unavailable })
      assert.deepStrictEqual(state().prepared?.tools, numbered(0, 60))
      assert.sameMembers([...namesOf(scripted.requests[0])], ["echo", ...numbered(0, 60)])
    }))

  it.scopedLive("are also chosen when extracting its steps fails", () =>
    Effect.gen(function*() {
      const { state } = yield* run(yield* makePlace(), {
        tools: many,
        model: scriptedModel(says("I don't know.")).model,
        embed: embedAround,
        options: { intentPreprocessing: true }
      })
      assert.sameMembers([...state().prepared?.tools ?? []], numbered(10, 70))
    }))

  it.scopedLive("are chosen for a subtask by its description, only when there are more", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("builtin/bread/SKILL.md", skillText("bread", "Bake.", "tags: [sourdough]\n"))
      const subtask = (tools: ReadonlyArray<AgentTool>) => {
        const loop = makeLoop({
          turns: [says("Done.")],
          tools: [echo, ...tools],
          task: { input: "Bake a sourdough", type: "subtask", agentType: "tool-specialist" },
          preparation: preparing(place, { embed: embedAround }).layer
        })
        return Effect.as(loop.run, loop)
      }
      const { journal, scripted } = yield* subtask(many)
      assert.deepStrictEqual(kinds(journal), ["prepared", "model"])
      assert.deepInclude(journal[0], { skills: [] })
      assert.deepStrictEqual(namesOf(scripted.requests[0]), ["echo", ...numbered(10, 70)])
      const few = yield* subtask(many.slice(0, 60))
      assert.deepStrictEqual(kinds(few.journal), ["model"])
      assert.deepStrictEqual(namesOf(few.scripted.requests[0]), ["echo", ...numbered(0, 60)])
    }))

  it.scopedLive("are embedded once a tool set, and not at all up to sixty", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const { embedded, layer } = preparing(place, { embed: embedAround })
      const task = { creator: UserId.make("alice"), type: "task" as const, tokenBudget: null }
      yield* Effect.gen(function*() {
        const { prepare } = yield* IntentPreprocessing
        assert.isNull(
          yield* prepare({ ...task, input: "One @0" }, many.slice(0, 60), Effect.succeed(true), offlineModel)
        )
        assert.isEmpty(embedded)
        for (const input of ["One @0", "Two @0", "Three @0"]) {
          yield* prepare({ ...task, input }, many, Effect.succeed(true), offlineModel)
        }
        assert.lengthOf(embedded, 73)
      }).pipe(Effect.provide(layer))
    }))

  it("are the first by name for a resumed task without a choice", () => {
    const names = numbered(0, 70)
    assert.deepStrictEqual(
      selectTools({ available: [...builtIn, ...names.toReversed()], required: ["tool_69"], matched: null }).toSorted(),
      [...builtIn, ...numbered(0, 60), "srv__tool_69"].toSorted()
    )
  })
})
