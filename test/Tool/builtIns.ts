import { defaultUser } from "@troupe/domain/Ids"
import { Context, Duration, Effect, Layer } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Snapshots } from "../../src/File/Snapshots.ts"
import { Memories } from "../../src/Memory/Memories.ts"
import { SkillScripts } from "../../src/Skill/SkillScripts.ts"
import * as BuiltIns from "../../src/Tool/BuiltIns.ts"
import { MailRecipients } from "../../src/Tool/MailRecipients.ts"
import type { Toolbox } from "../../src/Tool/Toolbox.ts"
import { Toolboxes, type ToolUser } from "../../src/Tool/Toolboxes.ts"
import type { ServerTool } from "../../src/ToolServer/ServerTool.ts"
import { ToolServers } from "../../src/ToolServer/ToolServers.ts"
import { Mail } from "../../src/Wire/Mail.ts"
import { noSignIns } from "../support/FakeTool.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { noSkills } from "../support/PromptContexts.ts"
import { scriptedModel } from "../support/ScriptedModel.ts"

const noTools: ReadonlyArray<ServerTool> = []

/** The built-in tools, without mail, memories and skills, and the tools of these servers. */
export const toolsWith = (servers: Layer.Layer<ToolServers>): Layer.Layer<Toolboxes, never, Sandbox> =>
  BuiltIns.layer({
    stepTimeout: { parent: Duration.minutes(5), subagent: Duration.minutes(10) }
  }).pipe(
    Layer.provide([
      servers,
      scriptedModel().layer,
      Mail.layerUnconfigured,
      Layer.mock(MailRecipients, {}),
      Layer.mock(Snapshots, {}),
      Layer.mock(Memories, {}),
      noSkills,
      Layer.mock(SkillScripts, { judgement: { detail: "", fix: null, isUnsafe: false, isClosed: false } })
    ])
  )

export const builtIns = toolsWith(Layer.mock(ToolServers, {
  tools: () => noTools,
  absent: () => null,
  signIns: noSignIns,
  openSession: () => Effect.succeed({ call: () => Effect.dieMessage("There are no tool servers") }),
  settled: Effect.void
}))

/** The root of the sandboxes of one test. */
export class Folder extends Context.Tag("troupe/test/Tool/builtIns/Folder")<Folder, string>() {}

const sandbox = Layer.unwrapEffect(Effect.map(Folder, (root) => Sandbox.layer({ root, quotaBytes: 1_000_000 })))

export const inFolder = builtIns.pipe(
  Layer.provide(sandbox),
  Layer.provideMerge(Layer.scoped(Folder, freshFolder))
)

/** The toolbox of a parent agent, or of whom the test says. */
export const opened = (
  user: ToolUser = { type: "task", creator: defaultUser, agentType: null, toolAccess: "all" }
): Effect.Effect<Toolbox, never, Toolboxes> =>
  Effect.flatMap(Toolboxes, (toolboxes) => Effect.scoped(toolboxes.open(user)))
