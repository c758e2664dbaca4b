import { ToolCallId } from "@troupe/domain/Ids"
import type { AgentType } from "@troupe/domain/Task"
import { asSentence, markedData } from "@troupe/domain/Text"
import { Duration, Effect, Predicate, Runtime } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import { withServerNames } from "../ToolServer/ParameterNames.ts"
import type { CallFailed, OnProgress } from "../ToolServer/ServerCall.ts"
import { resourceReader, type ServerTool } from "../ToolServer/ServerTool.ts"
import type { ToolServers } from "../ToolServer/ToolServers.ts"
import { type AgentTool, doubt, type ToolContext, type ToolEffect, ToolFailed, type ToolOutcome } from "./AgentTool.ts"
import { OnToolProgress } from "./OnToolProgress.ts"
import { askingIn, callUntilAsked } from "./ServerQuestions.ts"
import { answerOf } from "./ServerResult.ts"

/** Never reached: the server's own time-out comes first, and the server is notified. */
const timeoutMillis = Duration.toMillis("75 minutes")

/** The types of subagents that have the tools of tool servers that change anything. */
const changing: ReadonlyArray<AgentType> = ["general", "tool-specialist"]

/** A tool of a tool server, as agents call it. */
export const agentTool = (
  name: string,
  tool: ServerTool,
  servers: ToolServers["Type"],
  sandbox: Sandbox["Type"]
): AgentTool => {
  const effect = tool.isReadOnly ? "read" : tool.isIdempotent ? "idempotent" : "outside"
  return {
    name,
    description: tool.description === "" ? `${tool.name} of the tool server ${tool.server}` : tool.description,
    parameters: tool.parameters,
    changes: tool.isReadOnly ? "nothing" : "outside",
    ...(tool.isDestructive === true ? { class: "destructive" as const } : {}),
    shows: { outside: `the result of ${name}` },
    server: {
      name: tool.server,
      binding: `${tool.digest} ${tool.place ?? ""}`,
      isOpenWorld: tool.isClosed !== true,
      signIn: {
        isDone: (user) => servers.signIns.areDone(tool.server, user),
        isMissing: (user) => servers.signIns.areMissing(tool.server, user),
        isPerUser: () => servers.signIns.arePerUser(tool.server)
      }
    },
    ...(tool.isReadOnly ? {} : { forSubagents: changing }),
    effect: () => effect,
    timeoutMillis,
    run: (args, context) =>
      callUntilAsked(tool, context, (input) =>
        reporting(
          name,
          context,
          (onProgress) =>
            Effect.flatMap(
              askingIn(context, input),
              (asking) =>
                (context.session?.call ?? servers.call)(
                  tool,
                  argumentsOf(tool, args),
                  onProgress,
                  asking,
                  context.userId
                )
            )
        )).pipe(
          Effect.flatMap((outcome) =>
            "_tag" in outcome ? Effect.succeed(outcome) : Effect.map(
              answerOf(outcome.result, sandbox, context),
              (content): ToolOutcome => ({
                _tag: "Answered",
                content: tool.name === resourceReader ? markedData("resource", content) : content
              })
            )
          ),
          Effect.catchTag("CallFailed", (failure) =>
            failure.what === "unauthorized"
              ? Effect.succeed<ToolOutcome>({ _tag: "Unauthorized", content: failure.reason })
              : failureOf(tool, failure, effect))
        )
  }
}

/** With the server's own names of the parameters. */
export const argumentsOf = (
  { parameters, renamed }: Pick<ServerTool, "parameters" | "renamed">,
  args: unknown
): Readonly<Record<string, unknown>> => {
  const given = renamed === undefined ? args : withServerNames(args, { parameters, renamed })
  return Predicate.isReadonlyRecord(given) ? given : {}
}

const reporting = <A, E>(
  tool: string,
  { callId }: ToolContext,
  call: (onProgress: OnProgress) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.gen(function*() {
    const tell = yield* OnToolProgress
    const run = Runtime.runFork(yield* Effect.runtime<never>())
    return yield* call((progress) => void run(tell({ call: ToolCallId.make(callId), tool, ...progress })))
  })

const failureOf = ({ name, server }: ServerTool, { reason, what }: CallFailed, effect: ToolEffect): ToolFailed => {
  const advice = what === "refused" || what === "untaken" ? "" : `${doubt(effect)} Try again, or another way.`
  return new ToolFailed({
    reason: `${name} of the tool server ${server} failed: ${asSentence(reason.slice(0, 4_000))}${advice}`
  })
}
