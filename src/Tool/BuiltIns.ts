import type { TaskType } from "@troupe/domain/Task"
import { Effect, Layer } from "effect"
import { constant } from "effect/Function"
import { Documents } from "../File/Documents/Documents.ts"
import { Sandbox } from "../File/Sandbox.ts"
import { Snapshots } from "../File/Snapshots.ts"
import { Memories } from "../Memory/Memories.ts"
import { Model } from "../Model/Model.ts"
import { readableFiles } from "../Skill/SkillFiles.ts"
import { Skills } from "../Skill/Skills.ts"
import { SkillScripts } from "../Skill/SkillScripts.ts"
import type { StepTimeouts } from "../ToolServer/ServerCall.ts"
import { ToolServers } from "../ToolServer/ToolServers.ts"
import { Mail } from "../Wire/Mail.ts"
import { convertMarkdownToDocx, readDocument } from "./DocumentTools.ts"
import { attachFile, listDirectory, readFile, writeFile } from "./FileTools.ts"
import { MailRecipients } from "./MailRecipients.ts"
import { memorySave, memorySearch } from "./MemoryTools.ts"
import { askHuman, askUnknown, dispatchSubagent, dispatchSubagentTo, wait } from "./ParkingTools.ts"
import { runSkillScript } from "./RunSkillScript.ts"
import { callTimeOf } from "./ScriptCalls.ts"
import { scriptTools } from "./ScriptTools.ts"
import { sendEmail } from "./SendEmail.ts"
import { serverToolSource, Toolboxes, type ToolUser } from "./Toolboxes.ts"

export interface BuiltInsOptions {
  readonly stepTimeout: StepTimeouts
}

/** The tools that a task has on every service, by their names, in the order in which a model sees them. */
const builtIns = {
  ask_human: Effect.succeed(({ toolAccess }: ToolUser) => (toolAccess === "all" ? askHuman : askUnknown)),
  send_email: Effect.map(
    Effect.all([Sandbox, Snapshots, Mail, MailRecipients]),
    (services) => constant(sendEmail(...services))
  ),
  list_directory: Effect.map(readableFiles, (files) => constant(listDirectory(files))),
  read_file: Effect.map(readableFiles, (files) => constant(readFile(files))),
  write_file: Effect.map(Sandbox, (sandbox) => constant(writeFile(sandbox))),
  wait: Effect.succeed(constant(wait)),
  convert_markdown_to_docx: Effect.map(
    Effect.all([Sandbox, Documents]),
    (services) => constant(convertMarkdownToDocx(...services))
  ),
  attach_file: Effect.map(
    Effect.all([Sandbox, MailRecipients]),
    (services) => constant(attachFile(...services))
  ),
  read_document: Effect.map(
    Effect.all([readableFiles, Documents, Model]),
    (services) => constant(readDocument(...services))
  ),
  memory_search: Effect.map(Memories, (memories) => constant(memorySearch(memories))),
  memory_save: Effect.map(Memories, (memories) => constant(memorySave(memories))),
  dispatch_subagent: Effect.succeed(({ agents = "" }: ToolUser) =>
    agents === "" ? dispatchSubagent : dispatchSubagentTo(agents)
  ),
  run_skill_script: Effect.map(
    Effect.all({ sandbox: Sandbox, scripts: SkillScripts, skills: Skills }),
    (services) => ({ type }: ToolUser, { stepTimeout }: BuiltInsOptions) =>
      runSkillScript({ ...services, callTime: callTimeOf(stepTimeout, type) })
  )
}

export const builtInNames: ReadonlyArray<string> = Object.keys(builtIns)

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
      const tools = Object.values(yield* Effect.all(builtIns))
      const servers = serverToolSource(yield* ToolServers, yield* Sandbox, new Set(builtInNames))
      const services = { sandbox: yield* Sandbox, scripts: yield* SkillScripts, skills: yield* Skills }
      const scriptsOf = (type: TaskType) =>
        scriptTools({ ...services, callTime: callTimeOf(options.stepTimeout, type) })
      const scripts = { task: scriptsOf("task"), subtask: scriptsOf("subtask") }
      return Toolboxes.make(
        (user) => tools.map((toolFor) => toolFor(user, options)),
        servers,
        ({ type }) => scripts[type]()
      )
    })
  ).pipe(Layer.provide(Documents.layer()))
