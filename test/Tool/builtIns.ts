import { Duration, Effect, Layer } from "effect"
import type { Sandbox } from "../../src/File/Sandbox.ts"
import { Snapshots } from "../../src/File/Snapshots.ts"
import { Memories } from "../../src/Memory/Memories.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { SkillScripts } from "../../src/Skill/SkillScripts.ts"
import * as BuiltIns from "../../src/Tool/BuiltIns.ts"
import { MailRecipients } from "../../src/Tool/SendEmail.ts"
import type { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import type { ServerTool } from "../../src/ToolServer/ServerTool.ts"
import { ToolServers } from "../../src/ToolServer/ToolServers.ts"
import { Mail } from "../../src/Wire/Mail.ts"
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
      Layer.mock(Skills, { custom: "" }),
      Layer.mock(SkillScripts, { judgement: { detail: "", fix: null, isUnsafe: false } })
    ])
  )

export const builtIns = toolsWith(Layer.mock(ToolServers, {
  tools: () => noTools,
  absent: () => null,
  openSession: Effect.succeed({ call: () => Effect.dieMessage("There are no tool servers") }),
  settled: Effect.void
}))
