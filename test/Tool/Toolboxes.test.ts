import { assert, describe, it } from "@effect/vitest"
import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import type { AgentType } from "@troupe/domain/Task"
import { Effect, Schema } from "effect"
import { define } from "../../src/Tool/Definition.ts"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import { opened } from "./opened.ts"

const writing = ["run_skill_script", "convert_markdown_to_docx", "memory_save"]
const names = ["ask_human", "send_email", "read_file", "write_file", "dispatch_subagent", ...writing]

const boxes = Toolboxes.layer(names.map((name) =>
  define({
    name,
    description: name,
    parameters: Schema.Struct({}),
    effect: "read",
    timeout: "1 minute",
    run: () => Effect.succeed("ran")
  })
))

const toolsOf = (agentType: AgentType) =>
  Effect.map(opened({ type: "subtask", agentType }), ({ tools }) => tools.map(({ name }) => name))

describe("Toolboxes", () => {
  it.effect("give a parent agent every tool, and its subagents what their type may use", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* opened()).tools.map(({ name }) => name), names)
      assert.deepStrictEqual(yield* toolsOf("general"), ["send_email", "read_file", "write_file", ...writing])
      assert.deepStrictEqual(yield* toolsOf("research"), ["read_file"])
      assert.deepStrictEqual(yield* toolsOf("tool-specialist"), ["read_file", "write_file", ...writing])
    }).pipe(Effect.provide(boxes)))

  it.effect("refuse the call of a tool that is excluded, as one that is not there", () =>
    Effect.gen(function*() {
      const toolbox = yield* opened({ type: "subtask", agentType: "research" })
      const call = { id: ToolCallId.make("1"), name: "write_file", arguments: "{}" }
      const { content } = yield* toolbox.call(call, {
        taskId: TaskId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
        userId: UserId.make("alice"),
        callId: "1"
      })
      assert.match(content, /^Error: there is no tool "write_file"/)
    }).pipe(Effect.provide(boxes)))

  it.effect("are the same for all of one kind, so that a set of tools is built once", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* opened(), yield* opened())
      const user = { type: "subtask", agentType: "general" } as const
      assert.strictEqual((yield* opened(user)).toolSet(), (yield* opened(user)).toolSet())
    }).pipe(Effect.provide(boxes)))
})
