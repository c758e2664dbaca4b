import type { KnownTool } from "@troupe/domain/DeadRules"
import type { ToolNow } from "@troupe/domain/PastCalls"
import type { ToolClass } from "@troupe/domain/Policy"
import { Effect } from "effect"
import { asService } from "../Runtime/Database/Isolation.ts"
import { Skills } from "../Skill/Skills.ts"
import { SkillScripts } from "../Skill/SkillScripts.ts"
import type { ListedTools } from "../ToolServer/ToolReview.ts"
import { ToolServerRepo } from "../ToolServer/ToolServerRepo.ts"
import { builtIns } from "./BuiltIns.ts"
import { parameterSchemaOf } from "./ParameterSchema.ts"
import { boundScripts } from "./ScriptTools.ts"

/** A tool with what rules know of it, and its class as long as no admin gives it another one. */
export type RuledTool = KnownTool & ToolNow

const builtInTool = (
  { class: ofClass, tool }: typeof builtIns[keyof typeof builtIns],
  ofScripts: ToolClass
): RuledTool => ({
  name: tool.name,
  // With all arguments that a task can have there.
  parameters: parameterSchemaOf(tool),
  server: null,
  class: ofClass ?? ofScripts,
  isOpenWorld: false
})

/** Every tool that an agent may have, also those that are held, as the workers last saw the tool servers. */
export const makeKnownTools: Effect.Effect<
  Effect.Effect<ReadonlyArray<RuledTool>>,
  never,
  Skills | SkillScripts | ToolServerRepo
> = Effect.map(
  Effect.all([Skills, SkillScripts, ToolServerRepo]),
  ([skills, scripts, repo]) =>
    Effect.map(asService(repo.listed), (servers) => [
      ...Object.values(builtIns).map((one) => builtInTool(one, scripts.judgement.isClosed ? "own" : "outside")),
      ...boundScripts(skills.scriptTools()).map(({ name, parameters, tool }): RuledTool => ({
        name,
        parameters,
        server: null,
        class: tool.class,
        isOpenWorld: false
      })),
      ...servers.flatMap(({ server, tools }) => tools.map((tool) => ruledTool(server, tool)))
    ])
)

/** A tool of a server by its hints. */
export const ruledTool = (server: string, tool: ListedTools["tools"][number]): RuledTool => ({
  name: tool.bound_name,
  parameters: tool.input_schema,
  server,
  class: tool.isDestructive === true ? "destructive" : tool.is_read_only ? "read" : "outside",
  isOpenWorld: tool.isClosed !== true
})
