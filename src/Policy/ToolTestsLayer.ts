import { CurrentUser } from "@troupe/api/Authentication"
import type { ToolTested } from "@troupe/api/ToolTest"
import { whyItAsks } from "@troupe/domain/Approval"
import { type Caller, isAdmin, isSelfHosted, NotAllowed } from "@troupe/domain/Caller"
import type { Policy } from "@troupe/domain/Policy"
import { classIn, decide, type Decision, type PolicyCall, requesterKind } from "@troupe/domain/PolicyDecision"
import { asSentence, shortened } from "@troupe/domain/Text"
import { ToolNotCallable, ToolNotFound, ToolServerNotFound } from "@troupe/domain/ToolServer"
import { Clock, type Duration, Effect, Either, Layer } from "effect"
import { asService } from "../Runtime/Database/Isolation.ts"
import { Watchdog } from "../Runtime/Process/Watchdog.ts"
import { ruledTool } from "../Tool/KnownTools.ts"
import { argumentsOf } from "../Tool/ServerAgentTool.ts"
import { structuredIn, textOf } from "../Tool/ServerResult.ts"
import { AccessTokens } from "../ToolServer/AccessTokens.ts"
import { askedBy, requiresInput } from "../ToolServer/InputRequired.ts"
import { type CallFailed, callLimitOf } from "../ToolServer/ServerCall.ts"
import { makePersonalCalls } from "../ToolServer/SignIns.ts"
import { type HostedRules, offerOf, type StoredServer, type ToolServer } from "../ToolServer/ToolServer.ts"
import { ToolServerRepo } from "../ToolServer/ToolServerRepo.ts"
import { ToolTests } from "../ToolServer/ToolTests.ts"
import { mayDecide, notAllowedTo } from "./ApprovalRights.ts"
import { Policies } from "./Policies.ts"

interface ToolTestOptions {
  readonly rules: HostedRules
  readonly connectTimeout: Duration.Duration
  readonly callTimeout: Duration.Duration
  /** A call lasts no longer than one in a step of a task. */
  readonly stepTimeout: Duration.Duration
}

/** The calls go over connections of the caller, so that they work in processes that run no tasks. */
export const ToolTestsLayer = (
  { stepTimeout, ...options }: ToolTestOptions
): Layer.Layer<ToolTests, never, AccessTokens | Policies | ToolServerRepo> =>
  Layer.provide(
    Layer.scoped(
      ToolTests,
      Effect.gen(function*() {
        const repo = yield* ToolServerRepo
        const policies = yield* Policies
        const { sourceOf } = yield* AccessTokens
        const watchdog = yield* Watchdog
        const known = new Map<string, ToolServer>()
        const calls = yield* makePersonalCalls((name) => known.get(name) ?? null, (user) => ({
          ...options,
          watchdog,
          callLimit: callLimitOf(stepTimeout),
          tokensOf: (server) => server.transport === "stdio" ? undefined : sourceOf(server, user)
        }))

        const found = Effect.fnUntraced(function*(name: string, toolName: string) {
          const { configuration, listed } = yield* asService(
            Effect.all({ configuration: repo.configuration, listed: repo.listed })
          )
          const stored = configuration.servers.find((server) => server.name === name)
          if (stored === undefined) return yield* new ToolServerNotFound({ name })
          const caller = yield* CurrentUser
          if (stored.entry.per_user !== true && !isAdmin(caller)) return yield* new NotAllowed({ reason: notShared })
          const tool = listed.find(({ server }) => server === name)?.tools.find((one) => one.name === toolName)
          if (tool === undefined) return yield* new ToolNotFound({ server: name, tool: toolName })
          if (tool.state !== "usable") return yield* new ToolNotCallable({ reason: heldTool })
          const server = yield* usable(stored)
          // Connections are kept as long as the server is the same object.
          const before = known.get(name)
          if (before === undefined || placeOf(before) !== placeOf(server)) known.set(name, server)
          return { caller, tool }
        })

        return ToolTests.of({
          test: Effect.fn("ToolTests.test")(function*(name, toolName, { approved, arguments: args }) {
            const { caller, tool } = yield* found(name, toolName)
            const policy = policies.current()
            const ruled = ruledTool(name, tool)
            const call: PolicyCall = {
              tool: tool.bound_name,
              class: classIn(policy.classes, ruled.name, ruled.class),
              args,
              binding: tool.digest,
              message: null,
              isOpenWorld: ruled.isOpenWorld
            }
            const decision = decisionOf(policy, call, caller)
            const unmade = { ...nothing, class: call.class }
            if (decision.effect === "deny") {
              return { ...unmade, outcome: "denied" as const, detail: whyDenied(policy, decision.rule) }
            }
            if (decision.effect === "ask") {
              const isApprover = mayApprove(decision, caller)
              if (!approved) {
                return {
                  ...unmade,
                  outcome: "asks" as const,
                  detail: whyItAsks({
                    ...decision,
                    because: policy.rules[decision.rule ?? -1]?.because ?? null,
                    preset: policy.preset
                  }),
                  may_approve: isApprover
                }
              }
              if (!isApprover) {
                return yield* new NotAllowed({ reason: notAllowedTo({ tool: tool.bound_name, who: decision.who }) })
              }
            }
            const logged = (outcome: string, facts: Readonly<Record<string, number>>) =>
              Effect.annotateLogs(Effect.logInfo(`The tool ${tool.bound_name} was tested: ${outcome}`), {
                user_id: caller.id,
                tool_server: name,
                tool: toolName,
                class: call.class,
                ...facts
              })
            const begun = yield* Clock.currentTimeMillis
            const tested = yield* calls(caller.id)(
              { ...serverTool, server: name, name: toolName, digest: tool.digest, parameters: tool.input_schema },
              argumentsOf({ ...tool, parameters: tool.input_schema }, args)
            ).pipe(
              Effect.flatMap((result) => answered(name, result)),
              Effect.catchTag("CallFailed", (failure) => Effect.succeed(failedWith(name, failure))),
              // The tool may have acted, although nobody waits for its answer.
              Effect.onInterrupt(() => logged("interrupted", {}))
            )
            const millis = (yield* Clock.currentTimeMillis) - begun
            yield* logged(tested.outcome, { millis })
            return { ...unmade, ...tested, ok: tested.outcome === "answered", latency_ms: millis }
          })
        })
      })
    ),
    Watchdog.layer
  )

/** Fields of a tool that a call does not use: the policy has decided about the call before. */
const serverTool = { description: "", isReadOnly: false, isIdempotent: false }

const nothing = {
  ok: false,
  detail: "",
  may_approve: false,
  text: null,
  structured: null,
  latency_ms: null
}

const notShared = "Only an owner or admin may test the tools of a server that everybody uses."
const heldTool =
  "The tool is off: its definition is not the one that was accepted. An owner or admin can accept it as it is now."

const usable = ({ disabled, server }: StoredServer): Effect.Effect<ToolServer, ToolNotCallable> =>
  disabled
    ? new ToolNotCallable({ reason: "The tool server is disabled." })
    : Either.isLeft(server)
    ? new ToolNotCallable({ reason: "Its secrets can't be read with this SECRETS_KEY. Configure the server again." })
    : Effect.succeed(server.right)

const placeOf = (server: ToolServer): string => `${server.timeoutSeconds} ${offerOf(server)}`

/** Nobody else's words are in the context of a test; grants are for tasks. */
const decisionOf = (policy: Policy, call: PolicyCall, { id, role }: Caller): Decision =>
  decide(policy, call, { kind: "trusted", isPrivate: false }, {
    requester: requesterKind({ creator: id, isOfGuest: false, source: null, toolAccess: "all" }, role),
    source: "api",
    task: "",
    person: id,
    agent: null,
    project: null,
    schedule: null
  })

const mayApprove = ({ who }: Decision & { readonly effect: "ask" }, caller: Caller): boolean =>
  mayDecide(
    { who },
    { creator: caller.id, approver: null, tool_access: "all" },
    { by: isSelfHosted(caller) ? null : caller.id, role: caller.role, isProgram: false }
  )

const whyDenied = ({ rules }: Policy, rule: number): string => {
  const because = rules[rule]?.because
  return `Rule ${rule + 1} denies it${because === undefined ? "." : `: ${because}`}`
}

type Made = Pick<ToolTested, "detail" | "outcome" | "structured" | "text">

const maxText = 100_000

const answered = (server: string, result: Readonly<Record<string, unknown>>): Effect.Effect<Made> => {
  const structured = structuredIn(result) ?? null
  const made = { detail: "", structured: JSON.stringify(structured).length > maxText ? null : structured }
  if (requiresInput(result)) {
    const detail = Either.match(askedBy(server, result), {
      onLeft: (reason) => `The tool asks a person, and ${reason}.`,
      onRight: ({ questions }) => [...questions.map(({ text }) => text), unasked].join("\n\n")
    })
    return Effect.succeed({ ...made, outcome: "failed", detail, text: null })
  }
  return Effect.match(textOf(result, ofImage), {
    onFailure: ({ reason }): Made => ({ ...made, outcome: "failed", detail: shortened(reason, maxText), text: null }),
    onSuccess: (text): Made => ({ ...made, outcome: "answered", text: shortened(text, maxText) })
  })
}

const unasked = "A test can't answer what a tool asks: let a task call it, whose question you can answer."

const ofImage = ({ base64, mediaType }: { readonly base64: string; readonly mediaType: string }) =>
  Effect.succeed(`[A picture (${mediaType}) of ${Buffer.byteLength(base64, "base64")} bytes.]`)

const failedWith = (server: string, { reason, what }: CallFailed): Made => ({
  outcome: what === "unauthorized" ? "needs_sign_in" : "failed",
  detail: what === "unauthorized"
    ? `The tool server ${server} needs a sign-in: connect it, then try again.`
    : `The call failed: ${asSentence(shortened(reason, 4_000))}`,
  structured: null,
  text: null
})
