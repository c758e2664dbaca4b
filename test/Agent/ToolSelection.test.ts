import { assert, describe, it } from "@effect/vitest"
import { Array, FastCheck as fc } from "effect"
import { isBuiltIn, selectTools } from "../../src/Agent/ToolSelection.ts"

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
