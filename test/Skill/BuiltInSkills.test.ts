import { assert, describe, it } from "@effect/vitest"
import { resolveTools } from "@troupe/domain/SkillMatch"
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Embeddings } from "../../src/Model/Embeddings.ts"
import { offlineEmbeddings } from "../../src/Model/OfflineEmbeddings.ts"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { skillFileName } from "../../src/Skill/Skill.ts"
import { SkillMatching } from "../../src/Skill/SkillMatching.ts"
import { SkillRequirements } from "../../src/Skill/SkillRequirements.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { builtIns, opened } from "../Tool/builtIns.ts"
import { makePlace } from "./place.ts"

/** Tool servers that a skill makes use of when they are there. */
const servers = ["github", "gitlab"]

/** The service's own layers over the repository's skills. */
const built = Effect.gen(function*() {
  const place = yield* makePlace()
  const context = yield* Layer.build(
    SkillMatching.layer({ threshold: 0.35, maxSkills: 3 }).pipe(
      Layer.provideMerge(Skills.layer({ custom: place.custom, refreshInterval: "1 minute" })),
      Layer.provide([
        SkillRequirements.layer,
        ScheduledJobs.layerMemory,
        Layer.succeed(Embeddings, offlineEmbeddings)
      ])
    )
  )
  return { skills: Context.get(context, Skills), matching: Context.get(context, SkillMatching) }
})

describe("the skills of the repository", () => {
  it.scoped("are all read, and each says enough to be found and used", () =>
    Effect.gen(function*() {
      const { skills } = yield* built
      const { tools } = yield* Effect.provide(opened(), Layer.provide(builtIns, Layer.mock(Sandbox, {})))
      const names = tools.map(({ name }) => name)
      assert.isEmpty((yield* skills.reload).errors)
      const all = yield* skills.list
      assert.isAtLeast(all.length, 6)
      for (const skill of all) {
        assert.strictEqual(skill.source, "built-in")
        assert.strictEqual(
          join(skill.folder, skillFileName),
          fileURLToPath(new URL(`../../skills/${skill.name}/${skillFileName}`, import.meta.url))
        )
        assert.deepStrictEqual(skill.warnings, [], skill.name)
        assert.isNotEmpty(skill.tags, skill.name)
        // Shorter ones are parts of everyday words.
        for (const tag of skill.tags) assert.isTrue(tag.length >= 5 || tag === "csv", tag)
        assert.isAtLeast(skill.description.length, 80)
        const { unknown } = resolveTools(skill.allowed_tools, names)
        assert.isEmpty(unknown.filter((tool) => !servers.includes(tool)), skill.name)
        if (skill.scripts.length > 0) assert.include(skill.allowed_tools, "run_skill_script")
      }
    }))

  it.scoped("are found by what people ask for, and by nothing else", () =>
    Effect.gen(function*() {
      const { matching } = yield* built
      const expected: ReadonlyArray<readonly [string, string]> = [
        ["Summarise contract.pdf for me", "summarize-document"],
        ["Make action items of the meeting notes in notes/monday.md", "meeting-notes-to-actions"],
        ["A pull request was opened: #12 Add login", "triage-pull-request"],
        ["Write the weekly report from sales.csv", "weekly-report-from-csv"],
        ["Research which database suits us best", "research-with-subagents"],
        ["Draft a reply to the e-mail of Ms Smith", "careful-email-reply"]
      ]
      for (const [query, name] of expected) {
        assert.include((yield* matching.match(query)).map((match) => String(match.name)), name, query)
      }
      for (const query of ["Hello there!", "What is 17 times 23?", "Remind me to call Ann tomorrow"]) {
        assert.isEmpty(yield* matching.match(query), query)
      }
    }))
})
