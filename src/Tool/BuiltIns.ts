import type { ToolClass } from "@troupe/domain/Policy"
import type { TaskType } from "@troupe/domain/Task"
import { Effect, Layer, Record } from "effect"
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
import type { AgentTool } from "./AgentTool.ts"
import { ConvertMarkdownToDocx, convertMarkdownToDocx, ReadDocument, readDocument } from "./DocumentTools.ts"
import {
  AttachFile,
  attachFile,
  ListDirectory,
  listDirectory,
  ReadFile,
  readFile,
  WriteFile,
  writeFile
} from "./FileTools.ts"
import { MailRecipients } from "./MailRecipients.ts"
import { MemorySave, memorySave, MemorySearch, memorySearch } from "./MemoryTools.ts"
import type { parameterSchemaOf } from "./ParameterSchema.ts"
import {
  AskHuman,
  askHuman,
  askUnknown,
  dispatchSubagent,
  dispatchSubagentTo,
  dispatchTo,
  Wait,
  wait
} from "./ParkingTools.ts"
import { RunSkillScript, runSkillScript } from "./RunSkillScript.ts"
import { callTimeOf } from "./ScriptCalls.ts"
import { scriptTools } from "./ScriptTools.ts"
import { SendEmail, sendEmail } from "./SendEmail.ts"
import { serverToolSource, Toolboxes, type ToolUser } from "./Toolboxes.ts"

export interface BuiltInsOptions {
  readonly stepTimeout: StepTimeouts
}

type MakeTool = (user: ToolUser, options: BuiltInsOptions) => AgentTool

/** With the class by which rules know the tool where no worker runs; null: it depends on how scripts are confined. */
const builtIn = <R>(
  tool: Parameters<typeof parameterSchemaOf>[0],
  ofClass: ToolClass | null,
  make: Effect.Effect<MakeTool, never, R>
) => ({ tool, class: ofClass, make })

/** The tools that a task has on every service, by their names, in the order in which a model sees them. */
export const builtIns = {
  ask_human: builtIn(
    AskHuman,
    "own",
    Effect.succeed(({ toolAccess }: ToolUser) => (toolAccess === "all" ? askHuman : askUnknown))
  ),
  send_email: builtIn(
    SendEmail,
    "outside",
    Effect.map(Effect.all([Sandbox, Snapshots, Mail, MailRecipients]), (services) => constant(sendEmail(...services)))
  ),
  list_directory: builtIn(ListDirectory, "read", Effect.map(readableFiles, (files) => constant(listDirectory(files)))),
  read_file: builtIn(ReadFile, "read", Effect.map(readableFiles, (files) => constant(readFile(files)))),
  write_file: builtIn(WriteFile, "own", Effect.map(Sandbox, (sandbox) => constant(writeFile(sandbox)))),
  wait: builtIn(Wait, "read", Effect.succeed(constant(wait))),
  convert_markdown_to_docx: builtIn(
    ConvertMarkdownToDocx,
    "own",
    Effect.map(Effect.all([Sandbox, Documents]), (services) => constant(convertMarkdownToDocx(...services)))
  ),
  attach_file: builtIn(
    AttachFile,
    "own",
    Effect.map(Effect.all([Sandbox, MailRecipients]), (services) => constant(attachFile(...services)))
  ),
  read_document: builtIn(
    ReadDocument,
    "read",
    Effect.map(Effect.all([readableFiles, Documents, Model]), (services) => constant(readDocument(...services)))
  ),
  memory_search: builtIn(
    MemorySearch,
    "read",
    Effect.map(Memories, (memories) => constant(memorySearch(memories)))
  ),
  memory_save: builtIn(MemorySave, "own", Effect.map(Memories, (memories) => constant(memorySave(memories)))),
  dispatch_subagent: builtIn(
    dispatchTo(""),
    "own",
    Effect.succeed(({ agents = "" }: ToolUser) => agents === "" ? dispatchSubagent : dispatchSubagentTo(agents))
  ),
  run_skill_script: builtIn(
    RunSkillScript(1),
    null,
    Effect.map(
      Effect.all({ sandbox: Sandbox, scripts: SkillScripts, skills: Skills }),
      (services) => ({ type }: ToolUser, { stepTimeout }: BuiltInsOptions) =>
        runSkillScript({ ...services, callTime: callTimeOf(stepTimeout, type) })
    )
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
      const tools = Object.values(yield* Effect.all(Record.map(builtIns, ({ make }) => make)))
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
