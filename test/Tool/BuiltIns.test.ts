import { assert, describe, it } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import type { ToolClass } from "@troupe/domain/Policy"
import type { AgentType, ToolAccess } from "@troupe/domain/Task"
import { Effect } from "effect"
import { classOf } from "../../src/Tool/AgentTool.ts"
import { builtInNames } from "../../src/Tool/BuiltIns.ts"
import type { ToolUser } from "../../src/Tool/Toolboxes.ts"
import { inFolder, opened } from "./builtIns.ts"
import { callOf, contentOf, context } from "./calls.ts"

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
})
