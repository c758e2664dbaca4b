import type { TaskType } from "@troupe/domain/Task"
import { Effect, Layer } from "effect"
import { Documents } from "../File/Documents/Documents.ts"
import { Sandbox } from "../File/Sandbox.ts"
import { Snapshots } from "../File/Snapshots.ts"
import { Memories } from "../Memory/Memories.ts"
import { Model } from "../Model/Model.ts"
import { makeReadableFiles } from "../Skill/SkillFiles.ts"
import { Skills } from "../Skill/Skills.ts"
import { SkillScripts } from "../Skill/SkillScripts.ts"
import type { StepTimeouts } from "../ToolServer/ServerCall.ts"
import { ToolServers } from "../ToolServer/ToolServers.ts"
import { Mail } from "../Wire/Mail.ts"
import type { AgentTool } from "./AgentTool.ts"
import { convertMarkdownToDocx, readDocument } from "./DocumentTools.ts"
import { attachFile, listDirectory, readFile, writeFile } from "./FileTools.ts"
import { MailRecipients } from "./MailRecipients.ts"
import { memorySave, memorySearch } from "./MemoryTools.ts"
import { askHuman, dispatchSubagent, wait } from "./ParkingTools.ts"
import { callTimeOf, runSkillScript } from "./RunSkillScript.ts"
import { sendEmail } from "./SendEmail.ts"
import { serverToolSource, Toolboxes } from "./Toolboxes.ts"

export interface BuiltInsOptions {
  readonly stepTimeout: StepTimeouts
}

/** The names of the tools that a task has on every service. */
export const builtInNames: ReadonlyArray<string> = [
  "ask_human",
  "send_email",
  "list_directory",
  "read_file",
  "write_file",
  "wait",
  "convert_markdown_to_docx",
  "attach_file",
  "read_document",
  "memory_search",
  "memory_save",
  "dispatch_subagent",
  "run_skill_script"
]

const makeTools = Effect.fnUntraced(function*({ stepTimeout }: BuiltInsOptions) {
  const sandbox = yield* Sandbox
  const documents = yield* Documents
  const memories = yield* Memories
  const skills = yield* Skills
  const scripts = yield* SkillScripts
  const files = makeReadableFiles(sandbox, skills)
  const common: ReadonlyArray<AgentTool> = [
    askHuman,
    sendEmail(sandbox, yield* Snapshots, yield* Mail, yield* MailRecipients),
    listDirectory(files),
    readFile(files),
    writeFile(sandbox),
    wait,
    convertMarkdownToDocx(sandbox, documents),
    attachFile(sandbox),
    readDocument(files, documents, yield* Model),
    memorySearch(memories),
    memorySave(memories),
    dispatchSubagent
  ]
  return (type: TaskType): ReadonlyArray<AgentTool> => [
    ...common,
    runSkillScript({ callTime: callTimeOf(stepTimeout, type), sandbox, skills, scripts })
  ]
})

export const layer = (
  options: BuiltInsOptions
): Layer.Layer<
  Toolboxes,
  never,
  Sandbox | Snapshots | Memories | Model | Mail | MailRecipients | Skills | SkillScripts | ToolServers
> =>
  Layer.effect(
    Toolboxes,
    Effect.gen(function*() {
      const toolsOf = yield* makeTools(options)
      const servers = yield* ToolServers
      const names = new Set(toolsOf("task").map(({ name }) => name))
      return Toolboxes.make(toolsOf, serverToolSource(servers, yield* Sandbox, names))
    })
  ).pipe(Layer.provide(Documents.layer()))
