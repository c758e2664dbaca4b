import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { draft, makePlace, name, skillText } from "./place.ts"

describe("several processes", () => {
  it.scoped("see each other's changes with a reload, which names them", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const [one, other] = yield* Effect.all([place.skills, place.skills])
      yield* one.create(draft)
      yield* one.create({ ...draft, name: name("second") })
      assert.deepStrictEqual(yield* other.reload, {
        count: 2,
        added: [draft.name, name("second")],
        updated: [],
        removed: [],
        errors: []
      })
      yield* one.update("second", { description: "Changed" })
      yield* one.remove("my-skill")
      place.put("custom/third/SKILL.md", skillText("third"))
      assert.deepStrictEqual(yield* other.reload, {
        count: 2,
        added: [name("third")],
        updated: [name("second")],
        removed: [draft.name],
        errors: []
      })
      place.put("custom/third/scripts/run.mjs", "")
      assert.deepStrictEqual((yield* other.reload).updated, [name("third")])
      assert.deepStrictEqual((yield* other.reload).updated, [])
    }))

  it.scoped("change what the other has just changed, not what they knew of it", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const [one, other] = yield* Effect.all([place.skills, place.skills])
      yield* one.create(draft)
      yield* other.update("my-skill", { author: "Other" })
      const changed = yield* one.update("my-skill", { version: "3" })
      assert.deepInclude(changed, { author: "Other", version: "3" })
    }))

  it.scoped("see each other's changes after the refresh interval without being asked to", () =>
    Effect.gen(function*() {
      const place = yield* makePlace({ refreshInterval: "60 seconds" })
      const [one, other] = yield* Effect.all([place.skills, place.skills])
      yield* one.create(draft)
      assert.isEmpty(yield* other.list)
      yield* TestClock.adjust("61 seconds")
      // The look has begun; reading the folder takes as many turns of the event loop as it takes.
      const seen = yield* other.list.pipe(
        Effect.tap(() => Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
        Effect.repeat({ until: (all) => all.length > 0, times: 10_000 })
      )
      assert.strictEqual(seen.length, 1)
    }))
})

describe("A change of a skill", () => {
  it.scoped("keeps the fields of its file that the service does not know, and metadata as they are until they are changed", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const metadata = "metadata:\n  count: 1\n  none: null\n  tilde: ~\n  version: 1.10\n  text: \"1\"\n"
      const foreign = "user-invocable: true\nhooks: {stop: [a, 1]}\n"
      place.put("custom/alpha/SKILL.md", skillText("alpha", "Old.", `${foreign}${metadata}`))
      const skills = yield* place.skills
      yield* skills.update("alpha", { description: "New." })
      const text = place.read("custom/alpha/SKILL.md")
      for (const kept of ["description: New.\n", "user-invocable: true\n", "hooks: { stop: [ a, 1 ] }\n", metadata]) {
        assert.include(text, kept)
      }
      assert.isTrue(text.endsWith("---\n\nDo as alpha says.\n"))
      yield* skills.update("alpha", { metadata: { count: 2 } })
      assert.include(place.read("custom/alpha/SKILL.md"), "metadata:\n  count: 2\n")
    }))

  it.scoped("names all fields in a form, and leaves those as they are written that did not change", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const rest = "requirements:\n  - pandas\nauthor: { name: Ada }\n"
      place.put("custom/odd/SKILL.md", skillText("odd", "Long. ".repeat(300), rest))
      const skills = yield* place.skills
      const { author, description, instructions, requirements } = yield* skills.find("odd")
      yield* skills.update("odd", { author, description, instructions, requirements, tags: ["a"] })
      const text = place.read("custom/odd/SKILL.md")
      assert.include(text, `${rest}tags:\n  - a\n`)
      const tooLong = yield* Effect.flip(skills.update("odd", { description: `${description} More.` }))
      assert.match(tooLong.message, /description: expected .* 1024 characters/)
      assert.strictEqual(place.read("custom/odd/SKILL.md"), text)
    }))

  it.scoped("keeps what other programs wrote otherwise than the format says", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const odd = "author:\n  name: Ada\n  url: https://example.org\nrequirements:\n  - pandas\nallowed_tools: [Read]\n"
      place.put("custom/odd/SKILL.md", skillText("Odd", "Use when: asked", `${odd}license: MIT # as ever\n`))
      const skills = yield* place.skills
      yield* skills.update("odd", { tags: ["a"], instructions: "New." })
      const text = place.read("custom/odd/SKILL.md")
      assert.strictEqual(
        text,
        `---\nname: Odd\ndescription: "Use when: asked"\n${odd.replace("[Read]", "[ Read ]")}license: MIT # as ever\n`
          + "tags:\n  - a\n---\n\nNew.\n"
      )
      const changed = yield* skills.update("odd", { author: "Ben", allowed_tools: [], tags: [], license: null })
      assert.deepStrictEqual([changed.author, changed.allowed_tools, changed.tags], ["Ben", [], []])
      assert.notMatch(place.read("custom/odd/SKILL.md"), /allowed|tags|license|Ada/)
    }))
})
