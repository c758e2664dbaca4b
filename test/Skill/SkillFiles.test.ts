import { assert, describe, it } from "@effect/vitest"
import { truncatedResult } from "@troupe/domain/Text"
import { Context, Effect, Layer } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { Documents } from "../../src/File/Documents/Documents.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { makeReadableFiles } from "../../src/Skill/SkillFiles.ts"
import { readDocument } from "../../src/Tool/DocumentTools.ts"
import { attachFile, listDirectory, readFile, writeFile } from "../../src/Tool/FileTools.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import { withinTeam } from "../support/FakeTool.ts"
import { png } from "../support/Images.ts"
import { scriptedModel } from "../support/ScriptedModel.ts"
import { alice, callOf, contentOf, context } from "../Tool/calls.ts"
import { makePlace, skillText } from "./place.ts"

/** The tools that read, over a skill in a folder of another name. */
const fixture = Effect.gen(function*() {
  const place = yield* makePlace()
  place.put("custom/freight_2/SKILL.md", skillText("freight"))
  place.put("custom/freight_2/references/rates.md", "ZONE-A 12.50\nZONE-B 17.75\n")
  place.put("custom/freight_2/assets/template.md", "Dear customer,")
  place.put("custom/freight_2/scripts/sum.py", "print(42)")
  place.put("custom/freight_2/.env", "canary")
  place.put("outside.txt", "canary")
  fs.symlinkSync(join(place.base, "outside.txt"), join(place.custom, "freight_2/references/link.md"))
  fs.symlinkSync(place.base, join(place.custom, "freight_2/out"))
  fs.linkSync(join(place.base, "outside.txt"), join(place.custom, "freight_2/hard.md"))
  fs.writeFileSync(join(place.custom, "freight_2/assets/map.png"), png)
  const skills = yield* place.skills
  const root = join(place.base, "files")
  const services = yield* Layer.build(Layer.merge(Sandbox.layer({ root, quotaBytes: 1_000_000 }), Documents.layer()))
  const sandbox = Context.get(services, Sandbox)
  const files = makeReadableFiles(sandbox, skills)
  const model = scriptedModel().model
  const toolbox = makeToolbox([
    listDirectory(files),
    readFile(files),
    readDocument(files, Context.get(services, Documents), model),
    writeFile(sandbox),
    attachFile(sandbox, withinTeam)
  ])
  return {
    files,
    place,
    sandbox,
    skills,
    toolbox,
    answer: (tool: string, args: object) => contentOf(toolbox, tool, args)
  }
})

describe("An agent", () => {
  it.scoped("lists and reads the files of a skill, marked as the skill's and within the limits of the tools", () =>
    Effect.gen(function*() {
      const { answer, skills } = yield* fixture
      const { files } = yield* skills.find("freight")
      assert.deepStrictEqual(files, ["assets/map.png", "assets/template.md", "hard.md", "references/rates.md"])
      assert.strictEqual(
        yield* answer("list_directory", { path: "/skills/freight/references" }),
        "link.md (link or special file, can't be opened)\nrates.md (26 bytes)\n"
          + "[Of the skill freight: /skills/freight/references]"
      )
      assert.strictEqual(yield* answer("list_directory", { path: "/skills" }), "freight/\n[Folders of skills: /skills]")
      assert.strictEqual(
        yield* answer("read_file", { path: "/skills/freight/references/rates.md", limit: 1 }),
        "ZONE-A 12.50\n\n[The file goes on: continue with offset 1.]\n"
          + "[Of the skill freight: /skills/freight/references/rates.md]"
      )
      assert.include(yield* answer("read_file", { path: "/skills/freight/scripts/sum.py" }), "print(42)")
      assert.strictEqual(
        yield* answer("read_document", { path: "/skills/freight_2/assets/template.md" }),
        "Dear customer,\n[Of the skill freight: /skills/freight_2/assets/template.md]"
      )
    }))

  it.scoped("sees whose a long file is, although its end is cut off", () =>
    Effect.gen(function*() {
      const { answer, place } = yield* fixture
      place.put("custom/freight_2/references/long.md", "Zone B\n".repeat(5_000))
      const path = "/skills/freight/references/long.md"
      for (const tool of ["read_file", "read_document"]) {
        const shown = truncatedResult(yield* answer(tool, { path }))
        assert.match(shown, /^\[Of the skill freight: \/skills\/freight\/references\/long\.md\]\nZone B\n/)
      }
    }))

  it.scoped("sees a picture of a skill", () =>
    Effect.gen(function*() {
      const { files, toolbox } = yield* fixture
      const path = "/skills/freight/assets/map.png"
      const outcome = yield* toolbox.call(callOf("read_document", { path }), context)
      assert.deepStrictEqual("images" in outcome && outcome.images?.map((image) => image.path), [path])
      assert.deepStrictEqual(yield* files.readBytes(alice, path), new Uint8Array(png))
    }))

  it.scoped("reads them by the paths that instructions write, unless the user has such a file", () =>
    Effect.gen(function*() {
      const { answer, sandbox } = yield* fixture
      for (const path of ["references/rates.md", "./references/rates.md", "skills/freight_2/references/rates.md"]) {
        const content = yield* answer("read_file", { path })
        assert.match(content, /^ZONE-A 12\.50[^]*\n\[Of the skill freight: \/skills\/.*rates\.md\]$/, path)
      }
      assert.include(yield* answer("list_directory", { path: "assets" }), "template.md")
      assert.include(yield* answer("read_document", { path: "assets/template.md" }), "Dear customer,")
      yield* sandbox.write(alice, "references/rates.md", "Mine.")
      assert.strictEqual(yield* answer("read_file", { path: "references/rates.md" }), "Mine.")
      assert.include(yield* answer("read_file", { path: "/skills/freight/references/rates.md" }), "ZONE-A")
    }))

  it.scoped("chooses itself where several skills have a file of the path", () =>
    Effect.gen(function*() {
      const { answer, place, skills } = yield* fixture
      place.put("custom/other/SKILL.md", skillText("other"))
      place.put("custom/other/references/rates.md", "0")
      yield* skills.reload
      assert.match(
        yield* answer("read_file", { path: "references/rates.md" }),
        /^Error: .*several skills.*\/skills\/freight\/references\/rates\.md, \/skills\/other\/references\/rates\.md\./
      )
    }))

  it.scoped("never gets out of a skill's folder, through links, hidden names or ..", () =>
    Effect.gen(function*() {
      const { answer } = yield* fixture
      const paths = [
        "/skills/freight/references/link.md",
        "/skills/freight/out/outside.txt",
        "/skills/freight/hard.md",
        "/skills/freight/.env",
        "/skills/freight/../../outside.txt",
        "/skills/freight/references/../.env",
        "/skills/../outside.txt",
        "/skills/freight",
        "/skills/none/SKILL.md",
        "skills/freight/../../outside.txt",
        "skills/freight/.env",
        "/outside.txt"
      ]
      for (const path of paths) {
        for (const tool of ["read_file", "read_document"]) {
          const content = yield* answer(tool, { path })
          assert.match(content, /^Error: /, path)
          assert.notInclude(content, "canary")
        }
      }
      assert.notInclude(yield* answer("list_directory", { path: "/skills/freight" }), ".env")
      assert.match(yield* answer("list_directory", { path: "/skills/freight/out" }), /^Error: /)
    }))

  it.scoped("changes and sends no file of a skill", () =>
    Effect.gen(function*() {
      const { answer, place } = yield* fixture
      const path = "/skills/freight/assets/template.md"
      assert.match(yield* answer("write_file", { path, content: "x" }), /^Error: .*relative to the user's folder/)
      assert.match(yield* answer("attach_file", { path }), /^Error: .*relative to the user's folder/)
      assert.strictEqual(place.read("custom/freight_2/assets/template.md"), "Dear customer,")
    }))
})
