import { systemUser, ToolCallId } from "@troupe/domain/Ids"
import type { ToolCall } from "@troupe/domain/Message"
import type { Turn } from "@troupe/domain/Run"
import { signInCallOf, type SignInWait } from "@troupe/domain/SignInWait"
import type { Resulted } from "@troupe/domain/Step"
import { Effect } from "effect"
import { addressBelow } from "../Runtime/PublicAddress.ts"
import type { AgentTask, StepOutcome } from "./AgentDependencies.ts"
import type { Judged } from "./CallDecisions.ts"
import { toolResultOf, type ToolStepContext } from "./ToolCalls.ts"

type Context = Pick<ToolStepContext<unknown>, "task" | "toolbox">

/** Whether it is known that nobody has to sign in before the call. */
export const isSignedIn = ({ task, toolbox }: Context, call: ToolCall): boolean =>
  toolbox.find(call.name)?.server?.signIn?.isDone(task.creator) ?? true

/** The sign-in at the server of a call; null: of a tool without a server. */
export const signInFor = ({ task, toolbox }: Context, call: ToolCall): SignInWait | null => {
  const server = toolbox.find(call.name)?.server
  return server === undefined
    ? null
    : { server: server.name, user: server.signIn?.isPerUser() === true ? task.creator : null }
}

/** A call that is allowed waits if somebody has to sign in first, before anything of it is sent. */
export const afterSignIn = (context: Context, judged: Judged): Effect.Effect<Judged> => {
  if (judged._tag !== "Runs" || isSignedIn(context, judged.call)) return Effect.succeed(judged)
  const wait = signInFor(context, judged.call)
  const signIn = context.toolbox.find(judged.call.name)?.server?.signIn
  if (wait === null || signIn === undefined) return Effect.succeed(judged)
  if (wait.user === systemUser) {
    const { call, decided } = judged
    return Effect.succeed({ _tag: "Answered", result: toolResultOf(call, forNobody(wait.server)), decided })
  }
  return Effect.map(
    signIn.isMissing(context.task.creator),
    (isMissing): Judged => isMissing ? { _tag: "Waits", call: judged.call, signIn: wait, decided: null } : judged
  )
}

const forNobody = (server: string): string =>
  `Error: each person signs in at the tool server ${server}, and this task works for nobody. Do without its tools, and say so `
  + "where the request needs them."

/** One question for the sign-in, whichever calls and tasks wait for it. */
export const signInQuestion = (wait: SignInWait, console: URL | null | undefined): NonNullable<Resulted["asked"]> => {
  const page = console === null || console === undefined ? null : addressBelow(console, "tool-servers")
  page?.searchParams.set("server", wait.server)
  const who = wait.user === null ? "An owner or admin of this service" : `${wait.user}, for whom the task works,`
  return {
    id: ToolCallId.make(signInCallOf(wait)),
    question: `The tool server ${wait.server} needs a sign-in. ${who} can connect it${
      page === null ? " on the page Tool servers of the console" : `: ${page.href}`
    }\n\nThe task goes on by itself after that, and makes its call then; nothing of it was sent yet.`,
    signIn: wait.server
  }
}

/** A subtask can't wait for a person: it looks again later. The creator is told the first time. */
export const asSubtask = (
  { type }: Pick<AgentTask, "type">,
  turn: Pick<Turn, "paused">,
  outcome: StepOutcome,
  now: number
): StepOutcome => {
  const { step } = outcome
  if (type !== "subtask" || step.kind !== "results" || step.asked?.signIn === undefined) return outcome
  const { asked: { id: paused, question }, ...others } = step
  const notices = turn.paused?.has(paused) === true ? {} : { notices: [...step.notices ?? [], question] }
  return { ...outcome, step: { ...others, ...notices, paused }, event: null, sleepUntil: now + subtaskPause }
}

const subtaskPause = 60_000
