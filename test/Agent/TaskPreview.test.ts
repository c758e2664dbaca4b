import { assert, describe, it } from "@effect/vitest"
import { SkillName } from "@troupe/domain/Skill"
import type { ToolServerTool } from "@troupe/domain/ToolServer"
import { Effect, Layer } from "effect"
import { TaskPreview } from "../../src/Agent/TaskPreview.ts"
import { maxServerTools } from "../../src/Agent/ToolSelection.ts"
import { Embeddings } from "../../src/Model/Embeddings.ts"
import { offlineEmbeddings } from "../../src/Model/OfflineEmbeddings.ts"
import { SkillMatching } from "../../src/Skill/SkillMatching.ts"
import { SkillRequirements } from "../../src/Skill/SkillRequirements.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { builtInNames } from "../../src/Tool/BuiltIns.ts"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { givenSkills, input } from "./preparing.ts"

const listed = (name: string, state: ToolServerTool["state"] = "usable"): ToolServerTool => ({
  name,
  bound_name: `mail__${name}`,
  description: `It can ${name}`,
  input_schema: { type: "object" },
  is_read_only: false,
  state,
  digest: name
})

const previewOf = (tools: ReadonlyArray<ToolServerTool>, intentPreprocessing = false) =>
  Effect.flatMap(givenSkills, (place) =>
    Effect.flatMap(TaskPreview, (preview) => preview.of(input)).pipe(
      Effect.provide(
        TaskPreview.layer({
          maxSkills: 3,
          intentPreprocessing,
          specialization: "testing",
          additionalInstructions: "Be brief."
        }).pipe(
          Layer.provide(SkillMatching.layer({ threshold: 0.35, maxSkills: 3 })),
          Layer.provide([
            Layer.scoped(Skills, place.skills),
            SkillRequirements.layer,
            Layer.succeed(Embeddings, offlineEmbeddings),
            Layer.mock(ToolServerRepo, { listed: Effect.succeed([{ server: "mail", tools }]) })
          ])
        )
      )
    ))

describe("The preview of a task", () => {
  it.scoped("has the skills that match, what others lack, and the tools without those that are off", () =>
    Effect.gen(function*() {
      const preview = yield* previewOf([listed("send"), listed("erase", "changed"), listed("sell", "new")])
      assert.deepStrictEqual(preview.skills.map(({ name }) => String(name)), ["bread"])
      assert.include(preview.skills[0]?.matched_by ?? [], "tag")
      assert.deepStrictEqual(preview.lacking, [{ name: SkillName.make("lacking"), missing: ["no-such"] }])
      assert.deepStrictEqual(preview.tools.map(({ name }) => name), [...builtInNames, "mail__send"])
      assert.deepStrictEqual(preview.tools.at(-1), { name: "mail__send", server: "mail" })
      assert.deepInclude(preview, { unbound_tools: 0, depends_on_steps: false })
    }))

  it.scoped("leaves out of very many tools those that are far from the request, and says when steps decide", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: maxServerTools + 10 }, (_, number) => listed(`tool_${number}`))
      // The skill that matches requires tools of this name.
      const preview = yield* previewOf([...many.slice(1), listed("bake_sourdough")], true)
      const names = preview.tools.map(({ name }) => name)
      assert.include(names, "mail__bake_sourdough")
      assert.isAtLeast(preview.tools.length, builtInNames.length + maxServerTools)
      assert.strictEqual(preview.tools.length + preview.unbound_tools, builtInNames.length + many.length)
      assert.isTrue(preview.depends_on_steps)
    }))
})
