import { assert, describe, layer } from "@effect/vitest"
import { SkillReload, SkillSummary } from "@troupe/domain/Skill"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as roles from "../../src/apps/all.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { layerSettings } from "../Http/TestServer.ts"
import * as Database from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { freePort, until } from "../support/Processes.ts"
import { type TaskClient, taskClient } from "../support/TaskClient.ts"

/** Skills as people publish them, each in a folder. */
const published: Readonly<Record<string, string>> = {
  "colon": "name: colon\ndescription: Use this skill when: the user asks about boilers\nlicense: MIT",
  "quoted": "name: quoted\ndescription: \"Plan\" meals for a week",
  "at-sign": "name: at-sign\ndescription: @mention helpers for chat",
  "backtick": "name: backtick\ndescription: `git log` explained",
  "folder_name": "name: water-plants\ndescription: Water plants",
  "Camel": "name: Camel\ndescription: Ride camels",
  "unnamed": "description: Has no name",
  "author-map": "name: author-map\ndescription: Author is a map\nauthor:\n  name: Ada\n  url: https://example.org",
  "requirements-list": "name: requirements-list\ndescription: As a list\nrequirements:\n  - pandas\n  - openpyxl>=3.1",
  "tools-map": "name: tools-map\ndescription: As a map\nallowed-tools: {Bash(git:*): true}",
  "long": `name: long\ndescription: ${"Very long. ".repeat(200)}`
}

const rates = "ZONE-A 12.50\nZONE-B 17.75\n"

const files: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(published).map((
      [folder, fields]
    ) => [`${folder}/SKILL.md`, `---\n${fields}\n---\n# Steps\n\nDo it.`])
  ),
  "with-references/SKILL.md": "---\r\nname: with-references\r\ndescription: Computes freight tariffs for parcels\r\n"
    + "tags: [freight]\r\n--- \r\n# Freight\r\n\r\nRead references/rates.md, then use assets/template.md.",
  "with-references/references/rates.md": rates,
  "with-references/assets/template.md": "Dear customer,",
  "bomb/SKILL.md": "---\nname: bomb\ndescription: x\nmetadata: {a: &a [x], b: [*a, *a]}\n---\nDo it.",
  "no-front-matter/SKILL.md": "# Only text",
  "undescribed/SKILL.md": "---\nname: undescribed\n---\nDo it."
}

/** The whole service with its offline model over these skills. */
class Service extends Context.Tag("troupe/test/reality/Skills.test/Service")<Service, TaskClient>() {
  static readonly layer = Layer.scoped(
    this,
    Effect.gen(function*() {
      const folder = yield* freshFolder
      yield* Effect.forEach(Object.entries(files), ([path, content]) =>
        Effect.promise(() => {
          const file = join(folder, "skills", path)
          return mkdir(dirname(file), { recursive: true }).then(() => writeFile(file, content))
        }))
      const [port, runnerPort] = yield* Effect.all([freePort, freePort])
      const settings = yield* Layer.build(layerSettings({
        PORT: String(port),
        RUNNER_PORT: String(runnerPort),
        DRAIN_SECONDS: "0",
        DATABASE_URL: Redacted.value(yield* Database.freshDatabase),
        DATA_DIR: folder
      }))
      yield* Layer.build(Layer.orDie(roles.layer(Context.get(settings, Settings))))
      return taskClient(port)
    })
  )
}

const skillsOf = ({ send }: TaskClient) =>
  Effect.flatMap(
    send("GET", "/api/skills/?limit=100"),
    ({ body }) => Schema.decodeUnknown(Schema.Array(SkillSummary))(body)
  )

describe("Skills as people publish them", () => {
  layer(Service.layer, { excludeTestServices: true })((it) => {
    it.effect("load with a warning that says what is odd, and those without oddities load without", () =>
      Effect.gen(function*() {
        const skills = (yield* skillsOf(yield* Service)).filter(({ source }) => source === "custom")
        assert.deepStrictEqual(
          skills.map(({ name }) => String(name)),
          [
            ...Object.keys(published).filter((folder) => folder !== "folder_name" && folder !== "Camel"),
            "camel",
            "water-plants",
            "with-references"
          ].toSorted()
        )
        for (const { name, requirements_met, warnings } of skills) {
          assert.strictEqual(warnings.length > 0, name !== "with-references", name)
          assert.isTrue(requirements_met, name)
        }
        const described = new Map(skills.map(({ description, name }) => [String(name), description]))
        assert.strictEqual(described.get("colon"), "Use this skill when: the user asks about boilers")
        assert.strictEqual(described.get("quoted"), "\"Plan\" meals for a week")
        assert.strictEqual(described.get("at-sign"), "@mention helpers for chat")
        assert.strictEqual(skills.find(({ name }) => name === "author-map")?.author, "Ada, https://example.org")
      }))

    it.effect("are reported by a reload where they can't be read at all", () =>
      Effect.gen(function*() {
        const { send } = yield* Service
        const { body } = yield* send("POST", "/api/skills/reload")
        const { errors } = yield* Schema.decodeUnknown(SkillReload)(body)
        assert.deepStrictEqual(errors.map(({ message, path }) => [path.split("/").at(-1), message]), [
          ["bomb", "the front matter must not use YAML aliases"],
          ["no-front-matter", "it must begin with YAML front matter between two lines of ---"],
          ["undescribed", "description is missing or empty"]
        ])
      }))

    it.effect("have references and assets, which the agent reads by the path of the prompt and by that of the instructions", () =>
      Effect.gen(function*() {
        const client = yield* Service
        const results = (path: string) =>
          Effect.gen(function*() {
            const id = yield* client.submit(path, {
              message: `The freight of a parcel.\nuse read_file ${JSON.stringify({ path })}`
            })
            yield* until("the task is completed", Effect.map(client.find(id), ({ status }) => status === "completed"))
            return JSON.stringify(yield* client.find(id))
          })
        for (const path of ["/skills/with-references/references/rates.md", "references/rates.md"]) {
          const task = yield* results(path)
          assert.include(task, "ZONE-A 12.50")
        }
      }))
  })
})
