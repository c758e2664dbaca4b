import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Context, Duration, Effect, FastCheck, Layer, Schema } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { Sandbox, type SandboxOptions } from "../../src/File/Sandbox.ts"
import type { ScriptRequest } from "../../src/Skill/ScriptCommands.ts"
import type { ScriptEnd } from "../../src/Skill/ScriptProcess.ts"
import { SkillScripts } from "../../src/Skill/SkillScripts.ts"
import { runSkillScript } from "../../src/Tool/RunSkillScript.ts"
import { callTimeOf } from "../../src/Tool/ScriptCalls.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import { task } from "../Agent/loop.ts"
import { makePlace, skillText } from "../Skill/place.ts"
import { call } from "../support/ScriptedModel.ts"

const ended: ScriptEnd = { code: 0, signal: null, output: "42\n", errors: "", stopped: null }

const callTime = { maxSeconds: 260, timeout: Duration.seconds(280) }

/** The tool over a skill with one script, whose end the test decides; `requests` are those that reached the runner. */
const makeFixture = (
  end: Partial<ScriptEnd> | string = {},
  options: Partial<SandboxOptions> = {},
  work = (_folder: string) => {}
) =>
  Effect.gen(function*() {
    const place = yield* makePlace()
    place.put("custom/tools/SKILL.md", skillText("tools"))
    place.put("custom/tools/scripts/sum.py", "print(42)")
    place.put("custom/silent/SKILL.md", skillText("silent"))
    const requests: Array<ScriptRequest> = []
    const scripts = SkillScripts.of({
      judgement: { detail: "", fix: null, isUnsafe: false, isClosed: false },
      run: (request) => {
        requests.push(request)
        work(request.folder)
        return typeof end === "string" ? Effect.fail(end) : Effect.succeed({ ...ended, ...end })
      }
    })
    const root = join(place.base, "files")
    const sandbox = Context.get(yield* Layer.build(Sandbox.layer({ root, quotaBytes: 1_000_000, ...options })), Sandbox)
    const toolbox = makeToolbox([runSkillScript({ callTime, sandbox, scripts, skills: yield* place.skills })])
    const callOf = (args: object) => call("c1", "run_skill_script", args)
    const context = { taskId: task.taskId, userId: UserId.make("alice"), callId: "c1" }
    return {
      root,
      requests,
      answer: (args: object) => Effect.map(toolbox.call(callOf(args), context), ({ content }) => content)
    }
  })

const sum = { skill_name: "tools", script: "sum.py" }

describe("run_skill_script", () => {
  it.scoped("runs the script in the user's folder and answers with what it printed", () =>
    Effect.gen(function*() {
      const { answer, requests, root } = yield* makeFixture()
      assert.strictEqual(yield* answer({ ...sum, args: ["a b"], timeout_seconds: 5 }), "42")
      const [request] = requests
      assert.deepInclude(request, { script: "sum.py", args: ["a b"], seconds: 5, folder: join(root, "alice") })
      assert.isTrue(fs.statSync(join(root, "alice")).isDirectory())
      assert.strictEqual(request?.fileBytes, 1_000_000)
      yield* answer(sum)
      assert.deepInclude(requests[1], { args: [], seconds: 60 })
    }))

  it.scoped("takes a script by its path in the skill, as instructions name it", () =>
    Effect.gen(function*() {
      const { answer, requests } = yield* makeFixture()
      for (const script of ["scripts/sum.py", "./scripts/sum.py"]) yield* answer({ ...sum, script })
      assert.deepStrictEqual(requests.map(({ script }) => script), ["sum.py", "sum.py"])
    }))

  it.scoped("answers an unknown skill or script with those there are, and runs nothing", () =>
    Effect.gen(function*() {
      const { answer, requests } = yield* makeFixture()
      assert.match(yield* answer({ ...sum, skill_name: "tool" }), /^Error: .*"tool".*Did you mean tools\?$/)
      assert.match(yield* answer({ ...sum, skill_name: "weather" }), /^Error: .*Skills with scripts: tools\.$/)
      assert.match(yield* answer({ ...sum, script: "../SKILL.md" }), /^Error: .*no script.*sum\.py\.$/)
      assert.match(yield* answer({ ...sum, skill_name: "silent" }), /^Error: .*none at all\.$/)
      for (const wrong of [{ timeout_seconds: 261 }, { timeout_seconds: 0 }, { args: ["a\0b"] }, { args: "a" }]) {
        assert.match(yield* answer({ ...sum, ...wrong }), /^Error: the arguments don't fit/)
      }
      assert.isEmpty(requests)
    }))

  const ends = Schema.decodeSync(
    Schema.Array(Schema.Tuple(Schema.Literal("timeout", "output", "processes", "memory", "space"), Schema.String))
  )([
    ["timeout", "after 250 seconds"],
    ["output", "more than 1 MB"],
    ["processes", "too many processes"],
    ["memory", "too much memory"],
    ["space", "wrote more than fits: the user may keep 1000000 bytes"]
  ])

  it.scoped("says how a script failed, and what it printed before", () =>
    Effect.gen(function*() {
      const failing = yield* makeFixture({ code: 3, output: "begun\n", errors: "no such column\n" })
      const said = yield* failing.answer(sum)
      assert.match(said, /^Error: sum\.py ended with exit code 3\./)
      assert.include(said, "begun\n\n[It also wrote to its error output:]\nno such column")
      for (const [stopped, words] of ends) {
        const fixture = yield* makeFixture({ code: null, stopped, output: "" })
        const told = yield* fixture.answer({ ...sum, timeout_seconds: 250 })
        assert.match(told, /^Error: sum\.py was stopped/)
        assert.include(told, words)
      }
      assert.include(yield* (yield* makeFixture({ code: null, signal: "SIGSEGV" })).answer(sum), "ended by SIGSEGV")
      assert.include(yield* (yield* makeFixture("it needs ruby, which this machine lacks")).answer(sum), "needs ruby")
      assert.strictEqual(yield* (yield* makeFixture({ output: " \n" })).answer(sum), "[It printed nothing.]")
    }))

  it.scoped("stops a script when the user's files exceed the limits of size or number", () =>
    Effect.gen(function*() {
      const { answer, requests, root } = yield* makeFixture({}, { quotaBytes: 20_480, maxFiles: 4 })
      yield* answer(sum)
      const isOverfull = requests[0]?.isOverfull ?? Effect.die("not run")
      const file = (name: string) => join(root, "alice", name)
      fs.writeFileSync(file("large.txt"), "x".repeat(20_480))
      assert.isFalse(yield* isOverfull)
      fs.writeFileSync(file("tiny.txt"), "x")
      assert.isTrue(yield* isOverfull)
      fs.rmSync(file("large.txt"))
      for (const name of ["a", "b", "c"]) fs.writeFileSync(file(name), "")
      assert.isFalse(yield* isOverfull)
      fs.symlinkSync("nowhere", file("d"))
      assert.isTrue(yield* isOverfull)
    }))

  it.scopedLive("deletes what a script added beyond the limits, the largest first, and nothing that was there before", () =>
    Effect.gen(function*() {
      const filling = yield* makeFixture({}, { quotaBytes: 40_960 }, (folder) => {
        fs.mkdirSync(join(folder, "deep/er"), { recursive: true })
        fs.writeFileSync(join(folder, "small.txt"), "small")
        for (const name of ["a.bin", "deep/er/b.bin"]) fs.writeFileSync(join(folder, name), "x".repeat(20_000))
      })
      fs.mkdirSync(join(filling.root, "alice"), { recursive: true })
      fs.writeFileSync(join(filling.root, "alice", "before.txt"), "b".repeat(8_000))
      yield* Effect.sleep("150 millis")
      const answer = yield* filling.answer(sum)
      assert.match(answer, /^Error: sum\.py ended well, but wrote more than fits: .* 40960 bytes/)
      assert.match(answer, /42\n\[1 file that it added or changed was deleted to make room\.\]$/)
      const left = fs.readdirSync(join(filling.root, "alice"), { recursive: true }).map(String).sort()
      assert.includeMembers(left, ["before.txt", "small.txt"])
      assert.strictEqual(left.filter((name) => name.endsWith(".bin")).length, 1)
    }))

  it.scoped("deletes what it added beyond the limits also when it is ended for space, and empty folders", () =>
    Effect.gen(function*() {
      const filling = yield* makeFixture({ code: null, stopped: "space" }, { maxFiles: 3 }, (folder) => {
        for (const name of ["a", "b", "c", "d", "e"]) fs.mkdirSync(join(folder, name))
        fs.symlinkSync("nowhere", join(folder, "link"))
      })
      const answer = yield* filling.answer(sum)
      assert.match(answer, /^Error: sum\.py was stopped because it wrote more than fits/)
      assert.include(answer, "[1 file that it added")
      assert.lengthOf(fs.readdirSync(join(filling.root, "alice")), 3)
      assert.match(yield* filling.answer(sum), /^Error: the user has no room left/)
      assert.lengthOf(filling.requests, 1)
    }))

  it.scoped("runs nothing for a user without free space", () =>
    Effect.gen(function*() {
      const { answer, requests } = yield* makeFixture({}, { quotaBytes: 0 })
      assert.match(yield* answer(sum), /^Error: .*no room left/)
      const full = yield* makeFixture({}, { maxFiles: 1 })
      fs.mkdirSync(join(full.root, "alice", "empty"), { recursive: true })
      assert.match(yield* full.answer(sum), /^Error: .*no room left: .*at most 1 files and folders/)
      assert.isEmpty([...requests, ...full.requests])
    }))
})

const seconds = FastCheck.integer({ min: 15, max: 86_400 })

describe("The time of a call", () => {
  it("is 600 seconds at most, or what the step of its kind of agent leaves", () => {
    const timeouts = { parent: Duration.minutes(5), subagent: Duration.hours(1) }
    assert.strictEqual(callTimeOf(timeouts, "task").maxSeconds, 260)
    assert.strictEqual(callTimeOf(timeouts, "subtask").maxSeconds, 600)
    assert.strictEqual(callTimeOf({ ...timeouts, parent: Duration.seconds(1) }, "task").maxSeconds, 1)
  })

  it.prop("ends before its step, and later than the limit that its arguments may set", [seconds], ([step]) => {
    const timeouts = { parent: Duration.seconds(step), subagent: Duration.infinity }
    const { maxSeconds, timeout } = callTimeOf(timeouts, "task")
    assert.isTrue(maxSeconds >= 1 && maxSeconds <= 600)
    assert.isAbove(Duration.toSeconds(timeout), maxSeconds)
    assert.isBelow(Duration.toSeconds(timeout), step)
  })
})
