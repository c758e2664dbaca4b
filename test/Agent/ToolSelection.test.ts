import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, FastCheck as fc, Schema } from "effect"
import { isBuiltIn, selectTools } from "../../src/Agent/ToolSelection.ts"
import { define } from "../../src/Tool/Definition.ts"
import { testVector } from "../Memory/embeddings.ts"
import { makePlace, type Place, skillText } from "../Skill/place.ts"
import { says, scriptedModel } from "../support/ScriptedModel.ts"
import { run } from "./preparing.ts"

const builtIn = ["ask_human", "read_file", "run_skill_script"]
const ofServers = ["github__create_issue", "github__list_issues", "jira__search", "mail__send"]
const available = [...builtIn, ...ofServers]

describe("The tools bound to a model", () => {
  it("are those that skills require, those that suit the steps, and the built-in ones", () => {
    const chosen = selectTools({ available, required: ["GitHub__Create", "read_file"], matched: ["mail__send"] })
    assert.deepStrictEqual(chosen, [...builtIn, "github__create_issue", "mail__send"])
  })

  it("are all where none were matched, and the built-in ones alone where none suit", () => {
    assert.deepStrictEqual(selectTools({ available, required: ["mail"], matched: null }), available)
    assert.deepStrictEqual(selectTools({ available, required: [], matched: [] }), builtIn)
  })

  const names = fc.uniqueArray(fc.constantFrom(...available, "gone__tool"))
  const choice = fc.record({
    available: names,
    required: fc.array(fc.constantFrom("github", "JIRA", "read_file", "nothing")),
    matched: fc.option(names)
  })

  it("are each there, once and in the toolbox's order, whatever is asked for", () => {
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
  define({
    name,
    description: `What it does @${degrees}`,
    parameters: Schema.Struct({}),
    effect: "read",
    timeout: "1 minute",
    run: () => Effect.succeed("ok")
  })

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
    settings: { ENABLE_INTENT_PREPROCESSING: "true" }
  })

const nearest = ["one__at_0", "one__at_10", "one__at_20", "two__at_90", "two__at_100", "two__at_110"]

describe("The tools of a task whose steps are named", () => {
  it.scopedLive("are the three whose descriptions are nearest to each step, each once", () =>
    Effect.gen(function*() {
      const { scripted, state } = yield* working(yield* makePlace())
      assert.deepStrictEqual(state().prepared?.tools, nearest)
      assert.deepStrictEqual(scripted.requests[0]?.tools.tools.map(({ name }) => name), ["echo", ...nearest])
    }))

  it.scopedLive("are those too that its skills ask for, however far they are from its steps", () =>
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
  it.scopedLive("are the best of those that fit, AGENT_MAX_SKILLS at most and three by default", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      for (const degrees of [50, 10, 40, 20, 30]) {
        place.put(`builtin/at-${degrees}/SKILL.md`, skillText(`at-${degrees}`, `Bakes bread @${degrees}`))
      }
      const namesWith = (settings: Readonly<Record<string, string>>) =>
        Effect.map(
          run(place, { settings, embed: (texts) => Effect.succeed(texts.map(around)) }),
          ({ state }) => state().prepared?.skills.map(({ name }): string => name) ?? []
        )
      assert.deepStrictEqual(yield* namesWith({}), ["at-10", "at-20", "at-30"])
      assert.deepStrictEqual(yield* namesWith({ AGENT_MAX_SKILLS: "4" }), ["at-10", "at-20", "at-30", "at-40"])
      assert.deepStrictEqual(yield* namesWith({ AGENT_SKILL_THRESHOLD: "0.95" }), ["at-10"])
      assert.deepStrictEqual(yield* namesWith({ AGENT_MAX_SKILLS: "0" }), [])
    }))
})

/** Requests lie at no degrees. */
const around = (text: string) => testVector(text.includes("@") ? text : "@0")
