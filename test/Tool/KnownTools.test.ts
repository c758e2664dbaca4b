import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Skills } from "../../src/Skill/Skills.ts"
import { SkillScripts } from "../../src/Skill/SkillScripts.ts"
import { classOf } from "../../src/Tool/AgentTool.ts"
import { builtInNames } from "../../src/Tool/BuiltIns.ts"
import { makeKnownTools } from "../../src/Tool/KnownTools.ts"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { inFolder, opened } from "./builtIns.ts"

const listed = (name: string, hints: object) => ({
  name,
  bound_name: `files__${name}`,
  description: "",
  input_schema: {},
  is_read_only: false,
  isDestructive: undefined,
  isClosed: undefined,
  state: "new" as const,
  digest: "d",
  ...hints
})

const known = Effect.flatten(makeKnownTools).pipe(Effect.provide([
  Layer.mock(Skills, { custom: "", scriptTools: () => [] }),
  Layer.mock(SkillScripts, { judgement: { isClosed: false, isUnsafe: false, detail: "", fix: null } }),
  Layer.mock(ToolServerRepo, {
    listed: Effect.succeed([{
      server: "files",
      tools: [
        listed("list", { is_read_only: true, isClosed: true }),
        listed("move", {}),
        listed("delete", { isDestructive: true })
      ]
    }])
  })
]))

it.effect("The known tools are all built-in tools, and those of tool servers, also held ones, with the classes of their hints", () =>
  Effect.gen(function*() {
    const tools = yield* known
    assert.sameMembers(tools.map(({ name }) => name), [...builtInNames, "files__list", "files__move", "files__delete"])
    assert.deepStrictEqual(
      tools.filter(({ server }) => server === "files").map((tool) => [tool.class, tool.isOpenWorld]),
      [["read", false], ["outside", true], ["destructive", true]]
    )
  }))

it.effect("A built-in tool is known with the class that it declares", () =>
  Effect.gen(function*() {
    const tools = new Map((yield* known).map((tool) => [tool.name, tool.class]))
    for (const tool of (yield* opened()).tools) assert.strictEqual(tools.get(tool.name), classOf(tool), tool.name)
  }).pipe(Effect.provide(inFolder)))
