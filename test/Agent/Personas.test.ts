import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, TestClock } from "effect"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parsePersona } from "../../src/Agent/Personas.ts"
import { PromptContext } from "../../src/Agent/PromptContext.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { emptyDirectory, projectsIn } from "../support/PromptContexts.ts"
import { task } from "./loop.ts"

const soul = `---
name: Ada
role: the team's reviewer
specialization: code reviews.
tone: dry
---

Always name the file and the line.
`

/** A folder of projects that is gone with the test, and the prompt context over it. */
const place = Effect.map(
  freshFolder,
  (root) => {
    const layer = PromptContext.layer.pipe(
      Layer.provide([projectsIn(root), emptyDirectory])
    )
    const write = (project: string, text: string) => {
      mkdirSync(join(root, project, ".agent"), { recursive: true })
      writeFileSync(join(root, project, ".agent", "SOUL.md"), text)
    }
    return { root, layer, write }
  }
)

const brief = (projectId: string | null) =>
  Effect.flatMap(PromptContext, (context) => context.of({ ...task, projectId }))

describe("PersonaFile", () => {
  it("reads the fields of the front matter, and the body as instructions", () => {
    assert.deepStrictEqual(parsePersona(soul), {
      persona: {
        name: "Ada",
        role: "the team's reviewer",
        specialization: "code reviews",
        tone: "dry",
        instructions: "Always name the file and the line."
      },
      problem: null
    })
  })

  it("needs no front matter, and no body", () => {
    const blank = { name: null, role: null, specialization: null, tone: null, instructions: null }
    assert.deepStrictEqual(parsePersona("Be brief.\r\n").persona, { ...blank, instructions: "Be brief." })
    assert.deepStrictEqual(parsePersona("---\nname: Ada\nother: [1]\n---\n").persona, { ...blank, name: "Ada" })
    assert.deepStrictEqual(parsePersona(""), { persona: blank, problem: null })
  })

  it("ignores invalid front matter, says why, and keeps the body", () => {
    for (const yaml of ["name: [", "- a\n- b", "name: &a b\nrole: *a"]) {
      const { persona, problem } = parsePersona(`---\n${yaml}\n---\nBe brief.`)
      assert.deepInclude(persona, { name: null, instructions: "Be brief." })
      assert.match(problem ?? "", /front matter/)
    }
  })

  it("keeps a field on one line and within bounds", () => {
    const { name, role } = parsePersona(`---\nname: "A\\nb"\nrole: ${"x".repeat(1000)}\n---\n`).persona
    assert.deepStrictEqual([name, role?.length], ["A b", 500])
  })
})

describe("The persona of a task", () => {
  it.scoped("is that of the task's project, or the default one without a project", () =>
    Effect.gen(function*() {
      const { layer, write } = yield* place
      write("apollo", soul)
      write("default", "Be kind.")
      yield* Effect.gen(function*() {
        const apollo = yield* brief("apollo")
        assert.strictEqual(apollo.persona?.name, "Ada")
        assert.strictEqual(
          apollo.projectContext,
          "The task belongs to this project:\n\n<project>\nName: apollo\n</project>"
        )
        assert.isNull(apollo.teamContext)
        assert.deepInclude(yield* brief("elsewhere"), { persona: null })
        const none = yield* brief(null)
        assert.deepStrictEqual([none.persona?.instructions, none.projectContext], ["Be kind.", null])
      }).pipe(Effect.provide(layer))
    }))

  it.scoped("changes some seconds after its file, and reads the file no more often", () =>
    Effect.gen(function*() {
      const { layer, root, write } = yield* place
      write("apollo", "One.")
      yield* Effect.gen(function*() {
        const told = Effect.map(brief("apollo"), ({ persona }) => persona?.instructions ?? null)
        assert.strictEqual(yield* told, "One.")
        write("apollo", "Another.")
        yield* TestClock.adjust("4 seconds")
        assert.strictEqual(yield* told, "One.")
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* told, "Another.")
        rmSync(join(root, "apollo"), { recursive: true })
        yield* TestClock.adjust("6 seconds")
        assert.isNull(yield* told)
      }).pipe(Effect.provide(layer))
    }))

  it.scoped("follows no name and no link out of the folder of projects", () =>
    Effect.gen(function*() {
      const { layer, root, write } = yield* place
      const outside = yield* freshFolder
      mkdirSync(join(outside, ".agent"))
      writeFileSync(join(outside, ".agent", "SOUL.md"), soul)
      symlinkSync(outside, join(root, "link"))
      write("half", soul)
      rmSync(join(root, "half", ".agent", "SOUL.md"))
      symlinkSync(join(outside, ".agent", "SOUL.md"), join(root, "half", ".agent", "SOUL.md"))
      mkdirSync(join(root, "folder"))
      symlinkSync(join(outside, ".agent"), join(root, "folder", ".agent"))
      write("inner", soul)
      yield* Effect.gen(function*() {
        const names = [
          "link",
          "half",
          "folder",
          `../${outside.split("/").at(-1)}`,
          outside,
          "..",
          ".",
          "",
          "inner/..",
          "a\0b"
        ]
        for (const name of names) assert.isNull((yield* brief(name)).persona, name)
      }).pipe(Effect.provide(layer))
    }))

  it.scoped("warns once about an invalid file, until it changes", () =>
    Effect.gen(function*() {
      const { layer, write } = yield* place
      const warnings: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void warnings.push(String(message)))
      )
      write("broken", "---\nname: [\n---\nBe brief.")
      write("large", "x".repeat(64 * 1024 + 1))
      yield* Effect.gen(function*() {
        for (let look = 0; look < 3; look++) {
          assert.strictEqual((yield* brief("broken")).persona?.instructions, "Be brief.")
          assert.isNull((yield* brief("large")).persona)
          yield* TestClock.adjust("6 seconds")
        }
        assert.strictEqual(warnings.length, 2)
        assert.match(warnings[0] ?? "", /SOUL\.md is invalid: the front matter is no YAML/)
        assert.match(warnings[1] ?? "", /at most 64 KiB/)
        write("broken", "---\nname: [[\n---\nBe brief.")
        yield* brief("broken")
        assert.strictEqual(warnings.length, 3)
      }).pipe(Effect.provide([layer, logger]))
    }))
})
