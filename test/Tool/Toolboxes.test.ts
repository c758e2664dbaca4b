import { assert, describe, it } from "@effect/vitest"
import type { AgentType, ToolAccess } from "@troupe/domain/Task"
import { Effect } from "effect"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { contentOf } from "./calls.ts"
import { opened } from "./opened.ts"

const reading = ["ask_human", "read_file", "dispatch_subagent"]
const writing = ["send_email", "write_file", "run_skill_script"]
const names = [...reading, ...writing]

const boxes = Toolboxes.layer([
  ...reading.map((name) => fakeTool(name, Effect.succeed("ran"))),
  ...writing.map((name) => fakeTool(name, Effect.succeed("ran"), { effect: "idempotent" }))
])

const toolsOf = (agentType: AgentType) =>
  Effect.map(opened({ type: "subtask", agentType, toolAccess: "all" }), ({ tools }) => tools.map(({ name }) => name))

describe("Toolboxes", () => {
  it.effect("give the agent of an unknown sender tools that reach nothing outside", () =>
    Effect.gen(function*() {
      const toolsWith = (toolAccess: ToolAccess) =>
        Effect.map(opened({ type: "task", agentType: null, toolAccess }), ({ tools }) => tools.map(({ name }) => name))
      assert.deepStrictEqual(yield* toolsWith("read"), ["ask_human", "read_file"])
      assert.deepStrictEqual(yield* toolsWith("own"), ["ask_human", "read_file", "write_file"])
    }).pipe(Effect.provide(boxes)))

  it.effect("give a parent agent every tool, and its subagents those of their type", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* opened()).tools.map(({ name }) => name), names)
      assert.deepStrictEqual(yield* toolsOf("general"), ["read_file", ...writing])
      assert.deepStrictEqual(yield* toolsOf("research"), ["read_file"])
      assert.deepStrictEqual(yield* toolsOf("tool-specialist"), ["read_file", "write_file", "run_skill_script"])
    }).pipe(Effect.provide(boxes)))

  it.effect("refuse the call of an excluded tool as unknown", () =>
    Effect.gen(function*() {
      const toolbox = yield* opened({ type: "subtask", agentType: "research", toolAccess: "all" })
      assert.match(yield* contentOf(toolbox, "write_file", {}), /^Error: there is no tool "write_file"/)
    }).pipe(Effect.provide(boxes)))

  it.effect("are the same for all agents of one type, so that a set of tools is built once", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* opened(), yield* opened())
      const user = { type: "subtask", agentType: "general", toolAccess: "all" } as const
      assert.strictEqual((yield* opened(user)).toolSet(), (yield* opened(user)).toolSet())
    }).pipe(Effect.provide(boxes)))
})
