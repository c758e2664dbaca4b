import { assert, describe, it } from "@effect/vitest"
import { SkillName } from "@troupe/domain/Skill"
import { bestOf, type Candidate, ranked, resolveTools, scoreOf, tagsIn } from "@troupe/domain/SkillMatch"
import { FastCheck as fc } from "effect"

const name = SkillName.make("a-skill")

const anyScore = fc.double({ min: -1, max: 1, noNaN: true })
const anyThreshold = fc.double({ min: 0, max: 1, noNaN: true })

const anyCandidates: fc.Arbitrary<ReadonlyArray<Candidate>> = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z]{1,4}$/).map((one) => SkillName.make(one)),
    description: fc.constant("d"),
    semantic: anyScore,
    tagged: fc.boolean()
  }),
  { maxLength: 12, selector: (one) => one.name }
)

describe("scores", () => {
  it.prop("are raised to just above the threshold by a tag, and never lowered", [anyScore, anyThreshold], (
    [semantic, threshold]
  ) => {
    const plain = scoreOf(name, { semantic, tagged: false, threshold })
    assert.deepStrictEqual(plain, { name, semantic, keyword_boost: 0, score: semantic })
    const tagged = scoreOf(name, { semantic, tagged: true, threshold })
    assert.strictEqual(tagged.score, Math.max(semantic, threshold + 0.1))
    assert.isAtLeast(tagged.keyword_boost, 0)
  })

  it("look for a tag in the query whatever the case, and never find an empty one", () => {
    assert.isTrue(tagsIn("Please write the WEEKLY Report")(["weekly report"]))
    assert.isTrue(tagsIn("csv")(["  CSV "]))
    assert.isFalse(tagsIn("anything")(["", "  "]))
    assert.isFalse(tagsIn("weekly")(["weekly report"]))
  })
})

describe("the best", () => {
  it.prop("are at or above the threshold, best first, no more than allowed, and none better is left out", [
    anyCandidates,
    anyThreshold,
    fc.integer({ min: 0, max: 5 })
  ], ([candidates, threshold, maxSkills]) => {
    const best = bestOf(candidates, { threshold, maxSkills })
    assert.isAtMost(best.length, maxSkills)
    assert.deepStrictEqual(best, ranked(best))
    for (const { matched_by, score } of best) {
      assert.isAtLeast(score, threshold)
      assert.isNotEmpty(matched_by)
    }
    const chosen = new Set(best.map((one) => one.name))
    const worst = best.at(-1)?.score ?? Number.POSITIVE_INFINITY
    for (const { name, semantic, tagged } of candidates) {
      const { score } = scoreOf(name, { semantic, tagged, threshold })
      if (!chosen.has(name) && score >= threshold && best.length < maxSkills) assert.fail("one was left out")
      if (!chosen.has(name) && score >= threshold) assert.isTrue(maxSkills === 0 || score <= worst)
    }
  })

  it.prop("do not depend on the order of the skills", [anyCandidates, anyThreshold], ([candidates, threshold]) => {
    const limits = { threshold, maxSkills: 3 }
    assert.deepStrictEqual(bestOf(candidates.toReversed(), limits), bestOf(candidates, limits))
  })
})

describe("allowed tools", () => {
  const available = ["read_file", "Read_File_Fast", "github__create_issue", "github__list_issues", "wait"]
  const anyWanted = fc.array(fc.oneof(fc.constantFrom(...available, "GitHub", "file", "nothing", " "), fc.string()))

  it.prop("are tools that there are, each once; each name counts or is reported", [anyWanted], ([wanted]) => {
    const { tools, unknown } = resolveTools(wanted, available)
    assert.strictEqual(new Set(tools).size, tools.length)
    assert.isTrue(tools.every((tool) => available.includes(tool)))
    for (const name of wanted) {
      if (available.includes(name)) assert.include(tools, name)
      else assert.isTrue(unknown.includes(name) || resolveTools([name], available).tools.length > 0)
    }
  })

  it("are the tool of that very name before those that contain it", () => {
    assert.deepStrictEqual(resolveTools(["read_file"], available), { tools: ["read_file"], unknown: [] })
    assert.deepStrictEqual(resolveTools(["READ_FILE"], available).tools, ["read_file", "Read_File_Fast"])
    assert.deepStrictEqual(resolveTools(["GitHub"], available).tools, ["github__create_issue", "github__list_issues"])
  })

  it("leave out patterns, and blank or unknown names stand for nothing", () => {
    assert.deepStrictEqual(resolveTools(["wait(seconds:*)", "", " ", "(x)", "Bash(git:*)"], available), {
      tools: ["wait"],
      unknown: ["", " ", "(x)", "Bash(git:*)"]
    })
  })
})
