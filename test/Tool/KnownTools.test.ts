import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Skills } from "../../src/Skill/Skills.ts"
import { builtInNames } from "../../src/Tool/BuiltIns.ts"
import { makeKnownTools } from "../../src/Tool/KnownTools.ts"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"

it.effect("The known tools are all built-in tools, and those of tool servers, also held ones", () =>
  Effect.gen(function*() {
    const names = (yield* yield* makeKnownTools).map(({ name }) => name)
    assert.sameMembers(names, [...builtInNames, "files__delete"])
  }).pipe(Effect.provide([
    Layer.mock(Skills, { custom: "", scriptTools: () => [] }),
    Layer.mock(ToolServerRepo, {
      listed: Effect.succeed([{
        server: "files",
        tools: [{
          name: "delete",
          bound_name: "files__delete",
          description: "",
          input_schema: {},
          is_read_only: false,
          state: "new" as const,
          digest: "d"
        }]
      }])
    })
  ])))
