import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { makePlace, name, skillText } from "./place.ts"

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
