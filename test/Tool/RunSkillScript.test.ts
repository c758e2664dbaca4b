import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Schema } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { Sandbox } from "../../src/File/Sandbox.ts"
import type { ScriptEnd } from "../../src/Skill/ScriptProcess.ts"
import { type ScriptRequest, SkillScripts } from "../../src/Skill/SkillScripts.ts"
import { runSkillScript } from "../../src/Tool/RunSkillScript.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import { task } from "../Agent/loop.ts"
import { makePlace, skillText } from "../Skill/place.ts"
import { call } from "../support/ScriptedModel.ts"

const ended: ScriptEnd = { exitCode: 0, signal: null, output: "42\n", errors: "", stopped: null }

/** The tool over a skill with one script, whose end the test decides; `requests` are those that reached the runner. */
const makeStage = (end: Partial<ScriptEnd> | string = {}, quotaBytes = 1_000_000) =>
  Effect.gen(function*() {
    const place = yield* makePlace()
    place.put("custom/tools/SKILL.md", skillText("tools"))
    place.put("custom/tools/scripts/sum.py", "print(42)")
    place.put("custom/silent/SKILL.md", skillText("silent"))
    const requests: Array<ScriptRequest> = []
    const scripts = SkillScripts.of({
      confinement: "none",
      detail: "",
      maxSeconds: 260,
      run: (request) => {
        requests.push(request)
        return typeof end === "string" ? Effect.fail(end) : Effect.succeed({ ...ended, ...end })
      }
    })
    const root = join(place.base, "files")
    const sandbox = Context.get(yield* Layer.build(Sandbox.layer({ root, quotaBytes })), Sandbox)
    const toolbox = makeToolbox([runSkillScript({ sandbox, scripts, skills: yield* place.skills })])
    const callOf = (args: object) => call("c1", "run_skill_script", args)
    const context = { taskId: task.id, userId: UserId.make("alice"), callId: "c1" }
    return {
      root,
      requests,
      effectOf: (args: object) => toolbox.effectOf(callOf(args)),
      answer: (args: object) => Effect.map(toolbox.call(callOf(args), context), ({ content }) => content)
    }
  })

const sum = { skill_name: "tools", script: "sum.py" }

describe("run_skill_script", () => {
  it.scoped("runs the script in the user's folder and answers with what it printed", () =>
    Effect.gen(function*() {
      const { answer, effectOf, requests, root } = yield* makeStage()
      assert.strictEqual(yield* answer({ ...sum, args: ["a b"], timeout_seconds: 5 }), "42")
      const [request] = requests
      assert.deepInclude(request, { script: "sum.py", args: ["a b"], seconds: 5, folder: join(root, "alice") })
      assert.isTrue(fs.statSync(join(root, "alice")).isDirectory())
      assert.strictEqual(request?.fileBytes, 1_000_000)
      yield* answer(sum)
      assert.deepInclude(requests[1], { args: [], seconds: 60 })
      assert.strictEqual(effectOf(sum), "outside")
    }))

  it.scoped("answers an unknown skill or script with those there are, and runs nothing", () =>
    Effect.gen(function*() {
      const { answer, requests } = yield* makeStage()
      assert.match(yield* answer({ ...sum, skill_name: "tool" }), /^Error: .*"tool".*Did you mean tools\?$/)
      assert.match(yield* answer({ ...sum, skill_name: "weather" }), /^Error: .*Skills with scripts: tools\.$/)
      assert.match(yield* answer({ ...sum, script: "../SKILL.md" }), /^Error: .*no script.*sum\.py\.$/)
      assert.match(yield* answer({ ...sum, skill_name: "silent" }), /^Error: .*none at all\.$/)
      for (const wrong of [{ timeout_seconds: 601 }, { timeout_seconds: 0 }, { args: ["a\0b"] }, { args: "a" }]) {
        assert.match(yield* answer({ ...sum, ...wrong }), /^Error: the arguments don't fit/)
      }
      assert.isEmpty(requests)
    }))

  const ends = Schema.decodeSync(
    Schema.Array(Schema.Tuple(Schema.Literal("time", "output", "processes", "memory", "space"), Schema.String))
  )([
    ["time", "after 260 seconds"],
    ["output", "more than 1 MB"],
    ["processes", "too many processes"],
    ["memory", "too much memory"],
    ["space", "more room than they may"]
  ])

  it.scoped("says how a script failed, and what it said till then", () =>
    Effect.gen(function*() {
      const failing = yield* makeStage({ exitCode: 3, output: "begun\n", errors: "no such column\n" })
      const said = yield* failing.answer(sum)
      assert.match(said, /^Error: sum\.py ended with exit code 3\./)
      assert.include(said, "begun\n\n[It also wrote to its error output:]\nno such column")
      for (const [stopped, words] of ends) {
        const stage = yield* makeStage({ exitCode: null, stopped, output: "" })
        const told = yield* stage.answer({ ...sum, timeout_seconds: 600 })
        assert.match(told, /^Error: sum\.py was stopped/)
        assert.include(told, words)
      }
      assert.include(yield* (yield* makeStage({ exitCode: null, signal: "SIGSEGV" })).answer(sum), "ended by SIGSEGV")
      assert.include(yield* (yield* makeStage("it needs ruby, which this machine lacks")).answer(sum), "needs ruby")
      assert.strictEqual(yield* (yield* makeStage({ output: " \n" })).answer(sum), "[It printed nothing.]")
    }))

  it.scoped("has it stopped once the user's files take more room than they may", () =>
    Effect.gen(function*() {
      const { answer, requests, root } = yield* makeStage({}, 100)
      yield* answer(sum)
      const isOverfull = requests[0]?.isOverfull ?? Effect.die("not run")
      assert.isFalse(yield* isOverfull)
      fs.writeFileSync(join(root, "alice", "large.txt"), "x".repeat(101))
      assert.isTrue(yield* isOverfull)
    }))

  it.scoped("runs nothing for a user who has no room left", () =>
    Effect.gen(function*() {
      const { answer, requests } = yield* makeStage({}, 0)
      assert.match(yield* answer(sum), /^Error: .*no room left/)
      assert.isEmpty(requests)
    }))
})
