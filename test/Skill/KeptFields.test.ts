import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makePlace, skillText } from "./place.ts"

describe("The file of a skill", () => {
  it.scoped("keeps what its file says to others when it is changed", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("custom/alpha/SKILL.md", skillText("alpha", "Old.", "user-invocable: true\nhooks: {stop: [a, 1]}\n"))
      const skills = yield* place.skills
      yield* skills.update("alpha", { description: "New." })
      const text = place.read("custom/alpha/SKILL.md")
      assert.include(text, "description: New.\n")
      assert.include(text, "user-invocable: true\n")
      assert.include(text, "hooks: { stop: [ a, 1 ] }\n")
      assert.isTrue(text.endsWith("---\n\nDo as alpha says.\n"))
    }))

  it.scoped("keeps metadata as they are until they are changed", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const metadata = "metadata:\n  count: 1\n  none: null\n  tilde: ~\n  version: 1.10\n  text: \"1\"\n"
      place.put("custom/alpha/SKILL.md", skillText("alpha", "Old.", metadata))
      const skills = yield* place.skills
      yield* skills.update("alpha", { description: "New." })
      assert.include(place.read("custom/alpha/SKILL.md"), metadata)
      yield* skills.update("alpha", { metadata: { count: 2 } })
      assert.include(place.read("custom/alpha/SKILL.md"), "metadata:\n  count: 2\n---")
    }))
})
