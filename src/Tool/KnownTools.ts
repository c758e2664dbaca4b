import type { KnownTool } from "@troupe/domain/DeadRules"
import { Effect } from "effect"
import { asService } from "../Runtime/Database/Isolation.ts"
import { Skills } from "../Skill/Skills.ts"
import { ToolServerRepo } from "../ToolServer/ToolServerRepo.ts"
import { ConvertMarkdownToDocx, ReadDocument } from "./DocumentTools.ts"
import { AttachFile, ListDirectory, ReadFile, WriteFile } from "./FileTools.ts"
import { MemorySave, MemorySearch } from "./MemoryTools.ts"
import { parameterSchemaOf } from "./ParameterSchema.ts"
import { AskHuman, dispatchTo, Wait } from "./ParkingTools.ts"
import { RunSkillScript } from "./RunSkillScript.ts"
import { boundScripts } from "./ScriptTools.ts"
import { SendEmail } from "./SendEmail.ts"

/** With all arguments that a task can have there. */
const builtInTools: ReadonlyArray<KnownTool> = [
  AskHuman,
  SendEmail,
  ListDirectory,
  ReadFile,
  WriteFile,
  Wait,
  ConvertMarkdownToDocx,
  AttachFile,
  ReadDocument,
  MemorySearch,
  MemorySave,
  dispatchTo(""),
  RunSkillScript(1)
].map((tool) => ({ name: tool.name, parameters: parameterSchemaOf(tool) }))

/** Every tool that an agent may have, also those that are held, as the workers last saw the tool servers. */
export const makeKnownTools: Effect.Effect<
  Effect.Effect<ReadonlyArray<KnownTool>>,
  never,
  Skills | ToolServerRepo
> = Effect.map(
  Effect.all([Skills, ToolServerRepo]),
  ([skills, repo]) =>
    Effect.map(asService(repo.listed), (servers) => [
      ...builtInTools,
      ...boundScripts(skills.scriptTools()),
      ...servers.flatMap(({ tools }) => tools.map((tool) => ({ name: tool.bound_name, parameters: tool.input_schema })))
    ])
)
