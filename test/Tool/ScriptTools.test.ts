import { assert, describe, it } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import { ConfigProvider, Context, Duration, Effect, Layer } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Watchdog } from "../../src/Runtime/Process/Watchdog.ts"
import type { ScriptRequest } from "../../src/Skill/ScriptCommands.ts"
import type { ScriptEnd } from "../../src/Skill/ScriptProcess.ts"
import { SkillScripts } from "../../src/Skill/SkillScripts.ts"
import { scriptTools } from "../../src/Tool/ScriptTools.ts"
import { serverToolSource, Toolboxes, type ToolUser } from "../../src/Tool/Toolboxes.ts"
import { serverToolsOf } from "../../src/ToolServer/ServerTool.ts"
import { makePlace } from "../Skill/place.ts"
import { confinements, here, nameOf, selfHosted } from "../Skill/scripts.ts"
import { noSignIns } from "../support/FakeTool.ts"
import { alice, callOf, contentOf } from "./calls.ts"

const readme = fs.readFileSync(fileURLToPath(new URL("../../src/Skill/README.md", import.meta.url)), "utf8")

/** The example of a language in the README. */
const example = (language: string): string =>
  readme.match(new RegExp(`## Scripts as tools[\\s\\S]*?\`\`\`${language}\\n([\\s\\S]*?)\`\`\``))?.[1] ?? ""

const parent: ToolUser = { type: "task", creator: defaultUser, agentType: null, toolAccess: "all" }

const listed = (...tools: ReadonlyArray<string>) =>
  `---\nname: numbers\ndescription: Numbers.\ntools:\n${tools.map((tool) => `- ${tool}\n`).join("")}---\nUse them.\n`

/** The toolbox of a parent agent over one skill, whose scripts run as the test says. */
const makeFixture = (skill: string, scripts: Readonly<Record<string, string>>, runner: SkillScripts["Type"]) =>
  Effect.gen(function*() {
    const place = yield* makePlace()
    place.put("custom/numbers/SKILL.md", skill)
    for (const [name, text] of Object.entries(scripts)) place.put(`custom/numbers/scripts/${name}`, text)
    const root = join(place.base, "files")
    const sandbox = Context.get(yield* Layer.build(Sandbox.layer({ root, quotaBytes: 1_000_000 })), Sandbox)
    const skills = yield* place.skills
    const tools = scriptTools({
      callTime: { maxSeconds: 260, timeout: Duration.seconds(280) },
      sandbox,
      scripts: runner,
      skills
    })
    const { tools: ofServer } = serverToolsOf("numbers", [{ name: "sum" }, { name: "other" }])
    const servers = serverToolSource(
      {
        tools: () => ofServer,
        call: () => Effect.succeed({ content: [{ type: "text", text: "of the server" }] }),
        absent: () => null,
        signIns: noSignIns,
        openSession: () => Effect.dieMessage("A task has no session"),
        settled: Effect.void
      },
      sandbox,
      new Set()
    )
    const toolboxes = Toolboxes.make(() => [], servers, tools)
    const open = (user: ToolUser = parent) => Effect.scoped(toolboxes.open(user))
    return { ...place, folder: join(root, alice), skills, tools, open, toolbox: yield* open() }
  })

const ended: ScriptEnd = { code: 0, signal: null, output: "42\n", errors: "", stopped: null }

const scripted = (end: Partial<ScriptEnd> = {}) => {
  const requests: Array<ScriptRequest> = []
  const runner = SkillScripts.of({
    judgement: { detail: "", fix: null, isUnsafe: false, isClosed: true },
    run: (request) => Effect.as(Effect.sync(() => requests.push(request)), { ...ended, ...end })
  })
  return { requests, runner }
}

const sum = "{name: sum, description: Add., script: sum.py, class: read, "
  + "parameters: {type: object, properties: {numbers: {type: array}}, required: [numbers]}}"

describe("Scripts that are tools", () => {
  for (const confinement of confinements) {
    it.scopedLive(
      `of the README's Python, Node and shell answer with ${nameOf(confinement)}`,
      () =>
        Effect.gen(function*() {
          const runner = yield* Layer.build(
            SkillScripts.layerOf({
              confinement,
              environment: ConfigProvider.fromMap(new Map()),
              path: here,
              rules: selfHosted,
              hidden: []
            }).pipe(Layer.provide(Watchdog.layer))
          )
          const { folder, skills, toolbox } = yield* makeFixture(
            example("markdown"),
            { "sum.py": example("python"), "roll.mjs": example("js"), "count-words.sh": example("sh") },
            Context.get(runner, SkillScripts)
          )
          assert.deepStrictEqual((yield* skills.find("numbers")).warnings, [])
          assert.strictEqual(yield* contentOf(toolbox, "numbers__sum", { numbers: [1, 2.5] }), "3.5")
          assert.match(yield* contentOf(toolbox, "numbers__roll", { dice: 2 }), /^\{"rolled":\[[1-6],[1-6]\]\}$/)
          assert.strictEqual(yield* contentOf(toolbox, "numbers__count_words", { path: "rolls.txt" }), "2")
          assert.match(fs.readFileSync(join(folder, "rolls.txt"), "utf8"), /^[1-6] [1-6]\n$/)
          assert.strictEqual(
            yield* contentOf(toolbox, "numbers__count_words", { path: "no.txt" }),
            "Error: numbers__count_words ended with exit code 1.\nThe end of its standard error:\nThere is no file no.txt"
          )
          for (const language of ["python", "js", "sh"]) assert.isAtMost(example(language).split("\n").length, 11)
        }),
      60_000
    )
  }

  it.scoped("get their arguments as JSON on standard input, once they fit the schema", () =>
    Effect.gen(function*() {
      const { requests, runner } = scripted()
      const { toolbox } = yield* makeFixture(listed(sum), { "sum.py": "" }, runner)
      assert.strictEqual(yield* contentOf(toolbox, "numbers__sum", { numbers: [1] }), "42")
      assert.deepInclude(requests[0], { script: "sum.py", args: [], input: "{\"numbers\":[1]}", seconds: 60 })
      for (const args of [{}, { numbers: "1" }]) {
        assert.match(yield* contentOf(toolbox, "numbers__sum", args), /^Error: the arguments don't fit: /)
      }
      assert.strictEqual(requests.length, 1)
    }))

  it.scoped("answer with their standard output alone, and fail with the last lines of their error output", () =>
    Effect.gen(function*() {
      const answered = (end: Partial<ScriptEnd>) =>
        Effect.flatMap(
          makeFixture(listed(sum), { "sum.py": "" }, scripted(end).runner),
          ({ toolbox }) => contentOf(toolbox, "numbers__sum", { numbers: [] })
        )
      assert.strictEqual(yield* answered({ errors: "a warning" }), "42")
      assert.strictEqual(yield* answered({ output: " \n" }), "[It printed nothing.]")
      const errors = Array.from({ length: 40 }, (_, line) => `line ${line}`).join("\n")
      const failed = yield* answered({ code: 3, errors })
      assert.match(failed, /^Error: numbers__sum ended with exit code 3\.\n/)
      assert.match(failed, /line 30\n.*line 39$/s)
      assert.notInclude(failed, "line 29\n")
      assert.notInclude(failed, "42")
      assert.include(yield* answered({ code: 1 }), "42")
      assert.match(yield* answered({ code: null, stopped: "timeout" }), /was stopped after 60 seconds\. It may have/)
    }))

  it.scoped("are repeated after a crash only if they only read", () =>
    Effect.gen(function*() {
      const tool = (name: string, rest: string) => `{name: ${name}, description: D., script: a.sh${rest}}`
      const classes = ["read", "own", "outside", "destructive"]
      const { toolbox } = yield* makeFixture(
        listed(tool("none", ""), ...classes.map((one) => tool(one, `, class: ${one}`))),
        { "a.sh": "" },
        scripted().runner
      )
      const effectOf = (name: string) => toolbox.effectOf(callOf(`numbers__${name}`, {}))
      assert.deepStrictEqual(["none", ...classes].map(effectOf), ["outside", "read", "outside", "outside", "outside"])
      assert.strictEqual(toolbox.tools.find(({ name }) => name === "numbers__none")?.class, "outside")
    }))

  it.scoped("are offered by class to tasks of unknown senders, and to every subagent", () =>
    Effect.gen(function*() {
      const { open } = yield* makeFixture(
        listed(
          ...["read", "own", "outside"].map((one) => `{name: ${one}, description: D., script: a.sh, class: ${one}}`)
        ),
        { "a.sh": "" },
        scripted().runner
      )
      const offered = (user: Partial<ToolUser>) =>
        Effect.map(open({ ...parent, ...user }), ({ tools }) =>
          tools.map(({ name }) => name).filter((name) => /__(?:read|own|outside)$/.test(name)))
      assert.deepStrictEqual(yield* offered({ toolAccess: "read" }), ["numbers__read"])
      assert.deepStrictEqual(yield* offered({ toolAccess: "own" }), ["numbers__read", "numbers__own"])
      for (const agentType of ["general", "research", "tool-specialist"] as const) {
        assert.strictEqual((yield* offered({ type: "task", agentType })).length, 3)
      }
    }))

  it.scoped("keep their name where a tool of a server has it too, which stays under another", () =>
    Effect.gen(function*() {
      const { toolbox } = yield* makeFixture(listed(sum), { "sum.py": "" }, scripted().runner)
      const names = toolbox.tools.map(({ name }) => name)
      assert.deepStrictEqual(names.toSpliced(1, 1), ["numbers__sum", "numbers__other"])
      assert.match(names[1] ?? "", /^numbers__sum_[0-9a-f]{8}$/)
      assert.strictEqual(yield* contentOf(toolbox, "numbers__sum", { numbers: [] }), "42")
      assert.strictEqual(yield* contentOf(toolbox, names[1] ?? "", {}), "of the server")
    }))

  it.scoped("are the same list until a skill changes, and are gone with it", () =>
    Effect.gen(function*() {
      const { put, skills, toolbox, tools } = yield* makeFixture(listed(sum), { "sum.py": "" }, scripted().runner)
      const before = tools()
      yield* skills.reload
      assert.strictEqual(tools(), before)
      put("custom/numbers/SKILL.md", listed(sum.replace("sum,", "total,")))
      yield* skills.reload
      assert.deepStrictEqual(tools().map(({ name }) => name), ["numbers__total"])
      assert.match(yield* contentOf(toolbox, "numbers__none", {}), /^Error: there is no tool/)
      assert.strictEqual(toolbox.effectOf(callOf("numbers__none", {})), "outside")
    }))
})
