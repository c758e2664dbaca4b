import * as NodeContext from "@effect/platform-node/NodeContext"
import { defaultUser } from "@troupe/domain/Ids"
import { Layer } from "effect"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import * as BuiltIns from "../Tool/BuiltIns.ts"
import { AccessTokens } from "../ToolServer/AccessTokens.ts"
import { maxCallSecondsOf } from "../ToolServer/ServerCall.ts"
import type { ServerRules } from "../ToolServer/ServerConfig.ts"
import { ToolServers } from "../ToolServer/ToolServers.ts"
import * as ToolServersSeed from "../ToolServer/ToolServersSeed.ts"
import { mailRecipients } from "./People.ts"

/** The agents' tools, with the tool servers of this process. */
export const tools = (settings: Settings["Type"]) => {
  const { acceptChanged, callTimeout, configFile, connectTimeout } = settings.toolServers
  const stepTimeout = { parent: settings.agent.stepTimeout, subagent: settings.agent.subagentStepTimeout }
  const rules = rulesOf(settings)
  return BuiltIns.layer({ stepTimeout }).pipe(
    Layer.provide(
      ToolServers.layer({
        callTimeout,
        connectTimeout,
        stepTimeout,
        rules,
        acceptChanges: acceptChanged,
        admin: rules.isHosted ? null : defaultUser
      })
    ),
    Layer.provide(AccessTokens.layer({ isHosted: rules.isHosted, admin: rules.isHosted ? null : defaultUser })),
    Layer.provide(mailRecipients(settings)),
    Layer.provide(ToolServersSeed.layer({ file: configFile, rules }).pipe(Layer.provide(NodeContext.layer)))
  )
}

export const rulesOf = ({ agent, isHosted, toolServers: { allowStdio } }: Settings["Type"]): ServerRules => ({
  isHosted,
  allowStdio,
  maxCallSeconds: maxCallSecondsOf([agent.stepTimeout, agent.subagentStepTimeout])
})
