import { assert, describe, it } from "@effect/vitest"
import { noRequirements } from "@troupe/domain/Skill"
import { Effect, Either, TestClock } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { detailOf, summaryOf } from "../../src/Skill/Skill.ts"
import { draft, makePlace, name, skillText } from "./place.ts"

describe("the folders", () => {
  it.scoped("are read together, and a skill of the user replaces the built-in one of its name", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("builtin/alpha/SKILL.md", skillText("alpha"))
      place.put("builtin/beta/SKILL.md", skillText("beta"))
      place.put("custom/beta/SKILL.md", skillText("beta", "Another."))
      const skills = yield* place.skills
      const all = yield* skills.list
      assert.deepStrictEqual(all.map(({ description, name, source }) => [name, description, source]), [
        ["alpha", "About alpha.", "built-in"],
        ["beta", "Another.", "custom"]
      ])
    }))

  it.scoped("may be missing, and hold what is no skill", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const skills = yield* place.skills
      assert.isEmpty(yield* skills.list)
      place.put("custom/README.md", "# Not a skill")
      place.put("custom/.git/SKILL.md", skillText("git"))
      assert.deepStrictEqual(yield* skills.reload, { count: 0, added: [], updated: [], removed: [], errors: [] })
    }))

  it.scoped("report broken files and skip them", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("custom/good/SKILL.md", skillText("good"))
      place.put("custom/broken/SKILL.md", "no front matter")
      place.put("custom/binary/SKILL.md", "")
      fs.writeFileSync(join(place.custom, "binary/SKILL.md"), new Uint8Array([0xff, 0xfe, 0x00]))
      place.put("custom/huge/SKILL.md", skillText("huge") + "x".repeat(200_000))
      fs.mkdirSync(join(place.custom, "empty"))
      fs.mkdirSync(join(place.custom, "folder/SKILL.md"), { recursive: true })
      const skills = yield* place.skills
      assert.deepStrictEqual((yield* skills.list).map(({ name }) => name), [name("good")])
      const { count, errors } = yield* skills.reload
      assert.strictEqual(count, 1)
      const messages = Object.fromEntries(
        errors.map(({ message, path }) => [path.slice(place.custom.length + 1), message])
      )
      assert.deepStrictEqual(Object.keys(messages).sort(), [
        "binary",
        "broken",
        "empty",
        "folder",
        "huge"
      ])
      assert.include(messages["empty"], "there is no SKILL.md")
      assert.include(messages["huge"], "larger than 128 KB")
      assert.include(messages["binary"], "front matter")
      assert.include(messages["folder"], "not a regular file")
    }))

  it.scoped("load a skill of any folder, found by its name and its folder's, changed and deleted there", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("custom/folder_name/SKILL.md", skillText("water-plants"))
      place.put("custom/PDF Tools/skill.md", skillText("PDF_Tools"))
      const skills = yield* place.skills
      assert.deepStrictEqual((yield* skills.list).map(({ name, warnings }) => [String(name), warnings.length]), [
        ["pdf-tools", 3],
        ["water-plants", 1]
      ])
      for (const known of ["pdf-tools", "PDF_Tools", "PDF Tools"]) {
        assert.strictEqual((yield* skills.find(known)).name, name("pdf-tools"))
      }
      assert.strictEqual((yield* skills.update("pdf-tools", { description: "Changed." })).description, "Changed.")
      assert.deepStrictEqual(place.names("custom/PDF Tools"), ["skill.md"])
      assert.strictEqual(yield* skills.remove("folder_name"), name("water-plants"))
      assert.strictEqual(yield* skills.remove("pdf-tools"), name("pdf-tools"))
      assert.isEmpty(place.names("custom"))
    }))

  it.scoped("use one of two skills with the same name, that of the folder of this name, and report the other", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("custom/a-copy/SKILL.md", skillText("water", "The copy."))
      place.put("custom/water/SKILL.md", skillText("water", "The first."))
      const skills = yield* place.skills
      assert.deepStrictEqual((yield* skills.list).map(({ description }) => description), ["The first."])
      const { errors } = yield* skills.reload
      assert.deepStrictEqual(errors, [{
        path: join(place.custom, "a-copy"),
        message: "the skill in the folder \"water\" is named \"water\" too; rename one"
      }])
      yield* skills.remove("water")
      assert.deepStrictEqual((yield* skills.list).map(({ description }) => description), ["The copy."])
    }))

  it.scoped("read files in other encodings, with a warning", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      const text = skillText("water", "Gie\u00dft f\u00fcr 5 \u20ac.")
      const western = Buffer.from(text.replace("\u20ac", "\x80"), "latin1")
      for (
        const [folder, bytes] of [["western", western], ["wide", Buffer.from(`\ufeff${text}`, "utf16le")]] as const
      ) {
        fs.mkdirSync(join(place.custom, folder), { recursive: true })
        fs.writeFileSync(join(place.custom, folder, "SKILL.md"), bytes)
        const { description, warnings } = yield* (yield* place.skills).find(folder)
        assert.strictEqual(description, "Gie\u00dft f\u00fcr 5 \u20ac.")
        assert.include(warnings, "the file is not UTF-8, so its characters were guessed")
        fs.rmSync(join(place.custom, folder), { recursive: true })
      }
    }))

  it.scoped("never lead out through links", () =>
    Effect.gen(function*() {
      const place = yield* makePlace()
      place.put("outside/secret/SKILL.md", skillText("secret"))
      place.put("outside/key.txt", "canary")
      place.put("custom/tools/SKILL.md", skillText("tools"))
      place.put("custom/tools/scripts/run.mjs", "1")
      place.put("custom/tools/scripts/lib/part.mjs", "2")
      place.put("custom/tools/scripts/.hidden", "3")
      fs.symlinkSync(join(place.base, "outside/key.txt"), join(place.custom, "tools/scripts/key.txt"))
      fs.symlinkSync(join(place.base, "outside"), join(place.custom, "tools/scripts/outside"))
      fs.symlinkSync(join(place.base, "outside/secret"), join(place.custom, "secret"))
      place.put("custom/linked/x", "")
      fs.symlinkSync(join(place.base, "outside/secret/SKILL.md"), join(place.custom, "linked/SKILL.md"))
      place.put("custom/wholly/SKILL.md", skillText("wholly"))
      fs.symlinkSync(join(place.base, "outside"), join(place.custom, "wholly/scripts"))
      const skills = yield* place.skills
      assert.deepStrictEqual((yield* skills.list).map((skill) => [skill.name, skill.scripts]), [
        [name("tools"), ["lib/part.mjs", "run.mjs"]],
        [name("wholly"), []]
      ])
      const { errors } = yield* skills.reload
      assert.isTrue(errors.length === 2 && errors.every(({ message }) => message.includes("link")))
    }))
})

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
