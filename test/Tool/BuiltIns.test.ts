import { assert, describe, it } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import type { ToolClass } from "@troupe/domain/Policy"
import type { AgentType, ToolAccess } from "@troupe/domain/Task"
import { Effect, Fiber, TestClock } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { classOf } from "../../src/Tool/AgentTool.ts"
import { builtInNames } from "../../src/Tool/BuiltIns.ts"
import type { ToolUser } from "../../src/Tool/Toolboxes.ts"
import { Folder, inFolder, opened } from "./builtIns.ts"
import { callOf, contentOf, context } from "./calls.ts"

const use = (name: string, args: object) =>
  Effect.flatMap(opened(), (toolbox) => toolbox.call(callOf(name, args), context))

const answer = (name: string, args: object) => Effect.flatMap(opened(), (toolbox) => contentOf(toolbox, name, args))

describe("The built-in tools", () => {
  it.effect("have the parameters of the contract and say what each is for", () =>
    Effect.gen(function*() {
      const { tools } = yield* opened()
      assert.deepStrictEqual(tools.map(({ name }) => name), builtInNames)
      const parameters = tools.map(({ name, parameters }) => {
        const { properties, required } = parameters as { properties: object; required: ReadonlyArray<string> }
        return [name, Object.keys(properties), required]
      })
      assert.deepStrictEqual(parameters, [
        ["ask_human", ["question", "wait_for_answer", "choices"], ["question"]],
        ["send_email", ["to", "subject", "body", "cc", "attachments"], ["to", "subject", "body"]],
        ["list_directory", ["path"], []],
        ["read_file", ["path", "offset", "limit"], ["path"]],
        ["write_file", ["path", "content", "append"], ["path", "content"]],
        ["wait", ["seconds"], ["seconds"]],
        ["convert_markdown_to_docx", ["markdown", "source_path", "output_path"], ["output_path"]],
        ["attach_file", ["path"], ["path"]],
        ["read_document", ["path", "offset", "limit"], ["path"]],
        ["memory_search", ["query", "limit"], ["query"]],
        ["memory_save", ["content", "tags"], ["content"]],
        ["dispatch_subagent", ["task_description", "context", "agent_type", "max_iterations", "token_budget"], [
          "task_description"
        ]],
        ["run_skill_script", ["skill_name", "script", "args", "timeout_seconds"], ["skill_name", "script"]]
      ])
      for (const tool of tools) {
        assert.isAbove(tool.description.length, 80)
        const properties = tool.parameters["properties"] as Record<string, { readonly description?: string }>
        for (const property of Object.values(properties)) assert.isAbove((property.description ?? "").length, 10)
        assert.notMatch(JSON.stringify(tool.parameters), /\$ref|"title":"/)
      }
    }).pipe(Effect.provide(inFolder)))

  it.effect("are for each agent those of its type, and for the task of an unknown sender those without effects outside", () =>
    Effect.gen(function*() {
      const namesFor = (user: ToolUser) => Effect.map(opened(user), ({ tools }) => tools.map(({ name }) => name))
      const subagent = (agentType: AgentType) =>
        namesFor({ type: "subtask", creator: defaultUser, agentType, toolAccess: "all" })
      const without = (...names: ReadonlyArray<string>) => builtInNames.filter((name) => !names.includes(name))
      assert.deepStrictEqual(yield* subagent("general"), without("ask_human", "dispatch_subagent"))
      assert.deepStrictEqual(
        yield* subagent("tool-specialist"),
        without("ask_human", "dispatch_subagent", "send_email")
      )
      const reading = ["list_directory", "read_file", "wait", "attach_file", "read_document", "memory_search"]
      assert.deepStrictEqual(
        yield* subagent("research"),
        without("ask_human", "dispatch_subagent", "write_file", "send_email")
      )
      const unknown = (toolAccess: ToolAccess): ToolUser => ({
        type: "task",
        creator: defaultUser,
        agentType: null,
        toolAccess
      })
      assert.deepStrictEqual(yield* namesFor(unknown("read")), ["ask_human", ...reading])
      assert.sameMembers([...yield* namesFor(unknown("own"))], [
        "ask_human",
        ...reading,
        "write_file",
        "convert_markdown_to_docx",
        "memory_save"
      ])
      const own = yield* opened(unknown("own"))
      assert.match(yield* contentOf(own, "run_skill_script", {}), /^Error: there is no tool "run_skill_script"/)
      // A message that nobody answers would be the one mail that an unknown sender gets.
      const refused = yield* contentOf(own, "ask_human", { question: "Well?", wait_for_answer: false })
      assert.match(refused, /^Error: .*wait_for_answer/s)
      assert.strictEqual(yield* contentOf(own, "ask_human", { question: "Well?", wait_for_answer: true }), "Well?")
    }).pipe(Effect.provide(inFolder)))

  it.effect("are one toolbox for all agents of a type, so that a set of tools is built once", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* opened(), yield* opened())
      const user = { type: "subtask", creator: defaultUser, agentType: "general", toolAccess: "all" } as const
      assert.strictEqual((yield* opened(user)).toolSet(), (yield* opened(user)).toolSet())
    }).pipe(Effect.provide(inFolder)))

  it.effect("say what a crash in the middle of a call would mean", () =>
    Effect.gen(function*() {
      const file = { path: "f.docx", content: "x" }
      const effects = [
        ["ask_human", { question: "?" }, "read"],
        ["send_email", { to: "ada@example.org", subject: "Hi", body: "Hello" }, "idempotent"],
        ["list_directory", {}, "read"],
        ["read_file", { path: "f" }, "read"],
        ["write_file", file, "idempotent"],
        ["write_file", { ...file, append: true }, "outside"],
        ["wait", { seconds: 1 }, "read"],
        ["convert_markdown_to_docx", { markdown: "a", output_path: "a.docx" }, "idempotent"],
        ["attach_file", { path: "f" }, "read"],
        ["read_document", { path: "f" }, "read"],
        ["memory_search", { query: "x" }, "read"],
        ["memory_save", { content: "x" }, "idempotent"],
        ["dispatch_subagent", { task_description: "x" }, "read"],
        ["run_skill_script", { skill_name: "s", script: "a.py" }, "outside"]
      ] as const
      const toolbox = yield* opened()
      for (const [name, args, effect] of effects) assert.strictEqual(toolbox.effectOf(callOf(name, args)), effect, name)
      assert.deepStrictEqual([...new Set(effects.map(([name]) => name))], builtInNames)
    }).pipe(Effect.provide(inFolder)))

  it.effect("have the classes of the contract, from which rules decide what a call may do", () =>
    Effect.gen(function*() {
      const { tools } = yield* opened()
      const namesOf = (wanted: ToolClass) =>
        tools.filter((tool) => classOf(tool) === wanted).map(({ name }) => name).toSorted()
      assert.deepStrictEqual(namesOf("read"), ["list_directory", "memory_search", "read_document", "read_file", "wait"])
      assert.deepStrictEqual(namesOf("own"), [
        "ask_human",
        "attach_file",
        "convert_markdown_to_docx",
        "dispatch_subagent",
        "memory_save",
        "write_file"
      ])
      assert.deepStrictEqual(namesOf("outside"), ["run_skill_script", "send_email"])
    }).pipe(Effect.provide(inFolder)))

  it.effect("state how long a script may take, which differs for a parent agent and a subagent", () =>
    Effect.gen(function*() {
      const users = [[{ type: "task", creator: defaultUser, agentType: null, toolAccess: "all" }, 260], [
        { type: "subtask", creator: defaultUser, agentType: "general", toolAccess: "all" },
        530
      ]] as const
      for (const [user, maximum] of users) {
        const toolbox = yield* opened(user)
        const tool = toolbox.tools.find(({ name }) => name === "run_skill_script")
        assert.include(tool?.description, `up to ${maximum} seconds`)
        assert.include(JSON.stringify(tool?.parameters), `"maximum":${maximum}`)
        const asked = callOf("run_skill_script", { skill_name: "s", script: "a.py", timeout_seconds: maximum + 1 })
        const { content } = yield* toolbox.call(asked, context)
        assert.match(
          content,
          new RegExp(`^Error: .*"timeout_seconds" must be .* at most ${maximum}, not ${maximum + 1}`)
        )
      }
    }).pipe(Effect.provide(inFolder)))

  it.effect("write_file makes a file that list_directory shows and read_file reads", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answer("list_directory", {}), "The folder is empty.")
      assert.strictEqual(
        yield* answer("write_file", { path: "notes/plan.md", content: "one\n" }),
        "Wrote notes/plan.md, which now has 4 bytes."
      )
      assert.strictEqual(
        yield* answer("write_file", { path: "notes/plan.md", content: "two", append: true }),
        "Added to notes/plan.md, which now has 7 bytes."
      )
      assert.strictEqual(yield* answer("list_directory", {}), "notes/")
      assert.strictEqual(yield* answer("list_directory", { path: "notes" }), "plan.md (7 bytes)")
      assert.strictEqual(yield* answer("read_file", { path: "notes/plan.md" }), "one\ntwo")
    }).pipe(Effect.provide(inFolder)))

  it.effect("read_file says where to continue, where a file ends, and that a file is not text", () =>
    Effect.gen(function*() {
      yield* answer("write_file", { path: "f", content: "a\nb\nc\n" })
      yield* answer("write_file", { path: "empty", content: "" })
      yield* answer("write_file", { path: "binary", content: "PK\0\0" })
      assert.strictEqual(
        yield* answer("read_file", { path: "f", offset: 1, limit: 1 }),
        "b\n\n[The file goes on: continue with offset 2.]"
      )
      assert.strictEqual(yield* answer("read_file", { path: "f", offset: 2 }), "c\n")
      assert.include(yield* answer("read_file", { path: "f", offset: 9 }), "ends before line 9")
      assert.strictEqual(yield* answer("read_file", { path: "empty" }), "[The file is empty.]")
      assert.match(yield* answer("read_file", { path: "binary" }), /^Error: .*read_document/)
    }).pipe(Effect.provide(inFolder)))

  it.effect("read_file shows 20 lines of a long file, and the size of one that does not fit", () =>
    Effect.gen(function*() {
      const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index}`)
      yield* answer("write_file", { path: "long", content: lines.slice(0, 2_000).join("\n") })
      yield* answer("write_file", { path: "huge", content: lines.join("\n") })
      const long = yield* answer("read_file", { path: "long" })
      assert.isTrue(long.startsWith(`${lines.slice(0, 20).join("\n")}\n\n[`))
      assert.include(long, "20 of 2000 lines")
      assert.match(yield* answer("read_file", { path: "huge" }), /^\[The file has \d+ bytes/)
      assert.strictEqual(
        yield* answer("read_file", { path: "huge", offset: 59_998 }),
        "line 59998\nline 59999"
      )
    }).pipe(Effect.provide(inFolder)))

  it.effect("return a refusal of the sandbox as an error with advice", () =>
    Effect.gen(function*() {
      assert.match(yield* answer("read_file", { path: "../bob/x" }), /^Error: "\.\.\/bob\/x": .*Choose another path\.$/)
      assert.match(yield* answer("read_file", { path: "none.txt" }), /^Error: .*Use list_directory/)
      assert.match(yield* answer("list_directory", { path: "/etc" }), /^Error: .*relative/)
      assert.match(yield* answer("write_file", { path: "big", content: "x".repeat(1_000_001) }), /^Error: .*make room/)
      assert.match(yield* answer("write_file", { path: "", content: "x" }), /^Error: .*folder/)
    }).pipe(Effect.provide(inFolder)))

  it.effect("list_directory shows a name with line breaks as one", () =>
    Effect.gen(function*() {
      yield* answer("write_file", { path: "first", content: "" })
      fs.writeFileSync(join(yield* Folder, "alice", "a\nb"), "")
      assert.strictEqual(yield* answer("list_directory", {}), "\"a\\nb\" (0 bytes)\nfirst (0 bytes)")
    }).pipe(Effect.provide(inFolder)))

  it.effect("attach_file names an existing file by its real path, and nothing else", () =>
    Effect.gen(function*() {
      yield* answer("write_file", { path: "out/report.md", content: "done" })
      const outcome = yield* use("attach_file", { path: "./out/../out/report.md" })
      assert.deepInclude(outcome, { _tag: "Answered", attach: ["out/report.md"] })
      const home = join(yield* Folder, "alice")
      fs.linkSync(join(home, "out/report.md"), join(home, "second-name.md"))
      fs.writeFileSync(join(home, "a\u202Egnp.exe"), "")
      fs.symlinkSync("a\u202Egnp.exe", join(home, "alias.md"))
      assert.match((yield* use("attach_file", { path: "second-name.md" })).content, /^Error: .*hard links/)
      for (const path of ["none.md", "out", "../x", "out/report.md", "second-name.md", "a\u202Egnp.exe", "alias.md"]) {
        const refused = yield* use("attach_file", { path })
        assert.match(refused.content, /^Error: /)
        assert.notProperty(refused, "attach")
      }
    }).pipe(Effect.provide(inFolder)))

  it.effect("wait sleeps up to 5 seconds in place", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answer("wait", { seconds: 0 }), "Waited 0 seconds.")
      const fiber = yield* Effect.fork(answer("wait", { seconds: 5 }))
      yield* TestClock.adjust("4999 millis")
      assert.isTrue((yield* Fiber.poll(fiber))._tag === "None")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(fiber), "Waited 5 seconds.")
    }).pipe(Effect.provide(inFolder)))

  it.effect("wait puts the task to sleep for more, and takes no more than a day", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000)
      assert.deepStrictEqual(yield* use("wait", { seconds: 86_400 }), {
        _tag: "Deferred",
        until: 86_401_000,
        content: "Waited 86400 seconds."
      })
      for (const seconds of [-1, 86_401, "10"]) {
        assert.match(yield* answer("wait", { seconds }), /^Error: .*"seconds" must be a number of at least 0/)
      }
    }).pipe(Effect.provide(inFolder)))
})
