import { assert, describe, it } from "@effect/vitest"
import { noRequirements } from "@troupe/domain/Skill"
import { Effect, Either, TestClock } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { detailOf, summaryOf } from "../../src/Skill/Skill.ts"
import { draft, makePlace, name, skillText } from "./place.ts"

describe("a skill", () => {
  it.scoped("keeps what a change does not name, and leaves nothing behind when it is removed", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const skills = yield* place.skills
      const made = yield* skills.create({ ...draft, tags: ["Mine"], requirements: { bins: ["git"] } })
      assert.deepStrictEqual(made.requirements, { ...noRequirements, bins: ["git"] })
      const changed = yield* skills.update("my-skill", { description: "Ours.", version: "2", author: undefined })
      assert.deepInclude(changed, { description: "Ours.", version: "2", tags: ["mine"], createdAt: made.createdAt })
      assert.deepStrictEqual(changed.requirements, made.requirements)
      assert.deepStrictEqual(place.names("custom/my-skill"), ["SKILL.md"])
      yield* skills.remove("my-skill")
      assert.isEmpty(place.names("custom"))
      assert.strictEqual((yield* Effect.flip(skills.find("my-skill")))._tag, "SkillNotFound")
      assert.strictEqual((yield* Effect.flip(skills.update("my-skill", {})))._tag, "SkillNotFound")
      assert.strictEqual((yield* Effect.flip(skills.remove("my-skill")))._tag, "SkillNotFound")
    }))

  it.scoped("can't be made twice, not even by two processes at once", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("builtin/alpha/SKILL.md", skillText("alpha"))
      const [one, other] = yield* Effect.all([place.skills, place.skills])
      const results = yield* Effect.all(
        [one.create(draft), other.create(draft), one.create(draft)].map(Effect.either),
        {
          concurrency: "unbounded"
        }
      )
      assert.strictEqual(results.filter(Either.isRight).length, 1)
      for (const result of results) {
        if (Either.isLeft(result)) assert.strictEqual(result.left._tag, "SkillNameTaken")
      }
      const builtIn = yield* Effect.flip(one.create({ ...draft, name: name("alpha") }))
      assert.strictEqual(builtIn._tag, "SkillNameTaken")
      assert.deepStrictEqual(place.names("custom"), ["my-skill"])
    }))

  it.scoped("that is built in is changed as a copy with its scripts, and comes back when that is removed", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("builtin/alpha/SKILL.md", skillText("alpha"))
      place.put("builtin/alpha/scripts/run.mjs", "1")
      place.put("outside.txt", "canary")
      fs.symlinkSync(join(place.base, "outside.txt"), join(place.builtIn, "alpha/link.txt"))
      const skills = yield* place.skills
      assert.strictEqual((yield* Effect.flip(skills.remove("alpha")))._tag, "SkillReadOnly")
      const copy = yield* skills.update("alpha", { description: "Mine now." })
      assert.deepInclude(copy, { source: "custom", description: "Mine now.", scripts: ["run.mjs"] })
      assert.deepStrictEqual(place.names("custom/alpha"), ["SKILL.md", "scripts"])
      assert.strictEqual(place.read("builtin/alpha/SKILL.md"), skillText("alpha"))
      yield* skills.remove("alpha")
      assert.deepInclude(yield* skills.find("alpha"), { source: "built-in", description: "About alpha." })
    }))

  it.scoped("that would be broken is not written", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const skills = yield* place.skills
      const many = { ...draft, instructions: "é".repeat(70_000) }
      for (const wrong of [many, { ...draft, instructions: " " }, { ...draft, description: "x".repeat(2000) }]) {
        assert.strictEqual((yield* Effect.flip(skills.create(wrong)))._tag, "SkillInvalid")
      }
      assert.isFalse(fs.existsSync(place.custom))
    }))

  it.scoped("is never looked for outside of the folders", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("secret/SKILL.md", skillText("secret"))
      const skills = yield* place.skills
      for (const path of ["../secret", "/etc", "..", "", "a/b", "A"]) {
        assert.strictEqual((yield* Effect.flip(skills.find(path)))._tag, "SkillNotFound")
        assert.strictEqual((yield* Effect.flip(skills.remove(path)))._tag, "SkillNotFound")
      }
      assert.deepStrictEqual(place.names("secret"), ["SKILL.md"])
    }))

  it.scoped("that is broken can still be removed", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("custom/broken/SKILL.md", "")
      const skills = yield* place.skills
      yield* skills.remove("broken")
      assert.isEmpty((yield* skills.reload).errors)
    }))

  it.scoped("is never a file that lies beside the skills", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("custom/notes", "of a person")
      const skills = yield* place.skills
      assert.strictEqual((yield* Effect.flip(skills.remove("notes")))._tag, "SkillNotFound")
      assert.strictEqual((yield* Effect.flip(skills.create({ ...draft, name: name("notes") })))._tag, "SkillNameTaken")
      assert.strictEqual(place.read("custom/notes"), "of a person")
      assert.deepStrictEqual(place.names("custom"), ["notes"])
    }))

  it.scoped("that a killed process left half written or half deleted is removed, but not one that is being written", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("custom/.troupe-writing-old/SKILL.md", skillText("old"))
      place.put("custom/.troupe-writing-new/SKILL.md", skillText("new"))
      place.put("custom/.git/HEAD", "")
      for (const name of [".troupe-writing-old", ".git"]) fs.utimesSync(join(place.custom, name), 1000, 1000)
      const changed = fs.statSync(join(place.custom, ".troupe-writing-new")).mtimeMs
      yield* TestClock.setTime(changed + 60_000)
      const skills = yield* place.skills
      assert.isEmpty(yield* skills.list)
      assert.deepStrictEqual(place.names("custom"), [".git", ".troupe-writing-new"])
    }))

  it.scoped("can't be written where the folder is no folder", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("custom", "a file")
      const skills = yield* place.skills
      assert.strictEqual((yield* Effect.flip(skills.create(draft)))._tag, "SkillsUnwritable")
    }))

  it.scoped("shows what it is, and what it lacks here", () =>
    Effect.gen(function*() {
      const place = yield* makePlace({ lacks: { ...noRequirements, bins: ["gti"] } })
      const skills = yield* place.skills
      const made = yield* skills.create(draft)
      assert.deepStrictEqual(yield* skills.requirements, [
        { name: draft.name, met: false, missing: { ...noRequirements, bins: ["gti"] } }
      ])
      assert.isFalse(summaryOf(made, false).requirements_met)
      const detail = detailOf(made, true)
      assert.strictEqual(detail.path, join(place.custom, "my-skill/SKILL.md"))
      assert.match(detail.updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }))
})
