import type { TaskType } from "@troupe/domain/Task"
import { Effect, Layer } from "effect"
import { Documents } from "../File/Documents/Documents.ts"
import { Sandbox } from "../File/Sandbox.ts"
import { Memories } from "../Memory/Memories.ts"
import { Model } from "../Model/Model.ts"
import { Skills } from "../Skill/Skills.ts"
import { SkillScripts } from "../Skill/SkillScripts.ts"
import { ToolServers } from "../ToolServer/ToolServers.ts"
import { Mail } from "../Wire/Mail.ts"
import { askHuman } from "./AskHuman.ts"
import { attachFile } from "./AttachFile.ts"
import { type CallTime, callTimeOf, type StepTimeouts } from "./CallTime.ts"
import { convertMarkdownToDocx } from "./ConvertMarkdownToDocx.ts"
import { dispatchSubagentUpTo } from "./DispatchSubagent.ts"
import { listDirectory } from "./ListDirectory.ts"
import { memorySave } from "./MemorySave.ts"
import { memorySearch } from "./MemorySearch.ts"
import { readDocument } from "./ReadDocument.ts"
import { readFile } from "./ReadFile.ts"
import { runSkillScript } from "./RunSkillScript.ts"
import { sendEmail } from "./SendEmail.ts"
import { makeServerTools } from "./ServerTools.ts"
import type { Tool } from "./Tool.ts"
import { Toolboxes } from "./Toolboxes.ts"
import { wait } from "./Wait.ts"
import { writeFile } from "./WriteFile.ts"

type Rooms = Sandbox | Memories | Model | Mail | Skills | SkillScripts

const makeTools = Effect.fnUntraced(function*({ subagentHardLimit }: BuiltInsOptions) {
  const sandbox = yield* Sandbox
  const documents = yield* Documents
  const memories = yield* Memories
  const model = yield* Model
  const mail = yield* Mail
  const skills = yield* Skills
  const scripts = yield* SkillScripts
  const common: ReadonlyArray<Tool> = [
    askHuman,
    sendEmail(sandbox, mail),
    listDirectory(sandbox),
    readFile(sandbox),
    writeFile(sandbox),
    wait,
    convertMarkdownToDocx(sandbox, documents),
    attachFile(sandbox),
    readDocument(sandbox, documents, model),
    memorySearch(memories),
    memorySave(memories),
    dispatchSubagentUpTo(subagentHardLimit)
  ]
  return (callTime: CallTime): ReadonlyArray<Tool> => [
    ...common,
    runSkillScript({ callTime, sandbox, skills, scripts })
  ]
})

export interface BuiltInsOptions {
  readonly stepTimeout: StepTimeouts
  /** How often a subagent may ask its model at most. */
  readonly subagentHardLimit: number
}

const layer = (options: BuiltInsOptions): Layer.Layer<Toolboxes, never, Rooms | ToolServers> =>
  Layer.effect(
    Toolboxes,
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const servers = yield* ToolServers
      const tools = yield* makeTools(options)
      const toolsOf = (type: TaskType) => tools(callTimeOf(options.stepTimeout, type))
      const names = new Set(toolsOf("task").map(({ name }) => name))
      const { absent, openSession, settled } = servers
      return Toolboxes.make(toolsOf, { absent, openSession, settled, tools: makeServerTools(servers, sandbox, names) })
    })
  ).pipe(Layer.provide(Documents.layer()))

/** The tools that need nothing but the user's files and memories, the skills and the clock, and those of tool servers. */
export const BuiltIns = { layer } as const
