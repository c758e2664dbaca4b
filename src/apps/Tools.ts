import * as NodeContext from "@effect/platform-node/NodeContext"
import { defaultUser } from "@troupe/domain/Ids"
import { Layer } from "effect"
import { ToolTestsLayer } from "../Policy/ToolTestsLayer.ts"
import { memoized } from "../Runtime/Cache.ts"
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
    Layer.provide(accessTokens(settings)),
    Layer.provide(mailRecipients(settings)),
    Layer.provide(ToolServersSeed.layer({ file: configFile, rules }).pipe(Layer.provide(NodeContext.layer)))
  )
}

/** The same layer for all that need it, so that a process refreshes tokens once. */
const accessTokens = memoized(({ isHosted }: Settings["Type"]) =>
  AccessTokens.layer({ isHosted, admin: isHosted ? null : defaultUser })
)

/** Calls that people make to test tools. */
export const toolTests = (settings: Settings["Type"]) => {
  const { callTimeout, connectTimeout } = settings.toolServers
  const stepTimeout = settings.agent.stepTimeout
  return ToolTestsLayer({ rules: rulesOf(settings), callTimeout, connectTimeout, stepTimeout }).pipe(
    Layer.provide(accessTokens(settings))
  )
}

export const rulesOf = ({ agent, isHosted, toolServers: { allowStdio } }: Settings["Type"]): ServerRules => ({
  isHosted,
  allowStdio,
  maxCallSeconds: maxCallSecondsOf([agent.stepTimeout, agent.subagentStepTimeout])
})
