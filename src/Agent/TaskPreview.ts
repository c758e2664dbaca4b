import type { PreviewAgent, TaskPreviewReport } from "@troupe/api/TaskPreviewApi"
import { Array as Arrays, Context, Effect, Layer } from "effect"
import { Embeddings } from "../Model/Embeddings.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import type { SkillMatching } from "../Skill/SkillMatching.ts"
import type { SkillRequirements } from "../Skill/SkillRequirements.ts"
import { Skills } from "../Skill/Skills.ts"
import * as SkillVectors from "../Skill/SkillVectors.ts"
import { builtInNames } from "../Tool/BuiltIns.ts"
import { boundScripts } from "../Tool/ScriptTools.ts"
import { ToolServerRepo } from "../ToolServer/ToolServerRepo.ts"
import type { LoopSettings } from "./AgentDependencies.ts"
import { toolRuleOf } from "./Definition/AgentTools.ts"
import type { PreprocessingOptions } from "./IntentPreprocessing.ts"
import { makeSkillChoice, type SkillChoice } from "./SkillChoice.ts"
import { samplePrompt, skillPart } from "./SystemPrompt.ts"
import { firstByName, makeToolMatching, selectTools, surplus } from "./ToolSelection.ts"

/** After it, what embeddings would decide is left out. */
const timeout = "10 seconds"

const noSkills: SkillChoice = { found: [], lacking: [] }

/** What a task would work with, chosen as a task does, from what the workers last reported of the tool servers. */
export class TaskPreview extends Context.Tag("troupe/Agent/TaskPreview")<TaskPreview, {
  /** With an agent, what it would have. */
  readonly of: (message: string, agent?: PreviewAgent | null) => Effect.Effect<TaskPreviewReport>
}>() {
  static readonly layer = (
    { intentPreprocessing, maxSkills, ...settings }:
      & Pick<PreprocessingOptions, "intentPreprocessing" | "maxSkills">
      & Pick<LoopSettings, "additionalInstructions" | "specialization">
  ): Layer.Layer<TaskPreview, never, Embeddings | SkillMatching | SkillRequirements | Skills | ToolServerRepo> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const choose = yield* makeSkillChoice(maxSkills)
        const skills = yield* Skills
        const repo = yield* ToolServerRepo
        const matching = makeToolMatching(SkillVectors.make(yield* Embeddings))

        const serverTools = Effect.map(
          asService(repo.listed),
          (servers) =>
            servers.flatMap(({ server, tools }) =>
              tools.filter(({ state }) => state === "usable").map((tool) => ({
                name: tool.bound_name,
                description: tool.description,
                parameters: tool.input_schema,
                server
              }))
            )
        )

        return TaskPreview.of({
          of: Effect.fn("TaskPreview.of")(function*(message: string, agent: PreviewAgent | null = null) {
            const allows = toolRuleOf({
              tools: agent?.tools ?? null,
              disallowed_tools: agent?.disallowed_tools ?? [],
              memory: agent?.memory ?? "shared"
            })
            const { found, lacking } = yield* Effect.orElseSucceed(
              Effect.timeout(choose(message, agent?.skills), timeout),
              () => noSkills
            )
            const chosen = yield* Effect.forEach(found, ({ name }) => Effect.option(skills.find(name)))
            const ofServers = yield* serverTools
            const all = [
              ...builtInNames.map((name) => ({ name, description: "", parameters: {} })),
              ...boundScripts(skills.scriptTools()),
              ...ofServers
            ].filter(({ name }) => allows(name))
            const tooMany = surplus(all)
            const matched = tooMany.length === 0 ? null : yield* Effect.orElseSucceed(
              Effect.timeout(matching.ofRequest(message, all), timeout),
              () => firstByName(tooMany.map(({ name }) => name))
            )
            const bound = selectTools({
              available: all.map(({ name }) => name),
              required: Arrays.getSomes(chosen).flatMap(({ allowed_tools }) => allowed_tools),
              matched
            })
            const servers = new Map(ofServers.map(({ name, server }) => [name, server]))
            return {
              skills: found,
              lacking,
              tools: bound.map((name) => ({ name, server: servers.get(name) ?? null })),
              prompt: [
                samplePrompt(settings, agent?.instructions ?? null),
                ...Arrays.getSomes(chosen).map(skillPart)
              ].join("\n\n"),
              unbound_tools: all.length - bound.length,
              depends_on_steps: intentPreprocessing && ofServers.length > 0
            }
          })
        })
      })
    )
}
