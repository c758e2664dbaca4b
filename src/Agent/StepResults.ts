import { ToolCallId } from "@troupe/domain/Ids"
import type { ToolCall } from "@troupe/domain/Message"
import type { Run } from "@troupe/domain/Run"
import { isOutside } from "@troupe/domain/SeenContext"
import { type AskedInput, choicesOf, openQuestion, type ServerQuestion } from "@troupe/domain/ServerQuestion"
import { type FileVersion, mergedShown } from "@troupe/domain/Shown"
import type { SignInWait } from "@troupe/domain/SignInWait"
import type { Deferral, Resulted } from "@troupe/domain/Step"
import { Struct } from "effect"
import { approvalQuestion } from "../Policy/ApprovalQuestion.ts"
import { callsDecided } from "../Policy/PolicyMetrics.ts"
import { emptyDigest } from "../Tool/FileOrigin.ts"
import type { StepOutcome } from "./AgentDependencies.ts"
import type { DecidedCall, Judged } from "./CallDecisions.ts"
import { signInFor, signInQuestion } from "./SignInPause.ts"
import { type Finished, toolResultOf, type ToolStepContext } from "./ToolCalls.ts"

/** What a step has beside the calls that were run. */
export interface Beside {
  readonly settled: Resulted["results"]
  readonly sleeping: ReadonlyArray<Deferral>
  readonly asks: ReadonlyArray<Judged & { readonly _tag: "Asks" }>
  /** The sign-ins that calls wait for. */
  readonly waits: ReadonlyArray<SignInWait>
  readonly decided: ReadonlyArray<DecidedCall>
}

export const nothingElse: Beside = { settled: [], sleeping: [], asks: [], waits: [], decided: [] }

/**
 * The calls that ask for approval are one question. Of the agent's own questions in one turn the first is asked, unless there
 * is such a one; the others stay open and follow after its answer.
 */
export const resulted = <E>(
  context: ToolStepContext<E>,
  run: Run,
  { asks, decided, settled, waits }: Beside,
  finished: ReadonlyArray<Finished>
): Resulted => {
  const results = [...settled]
  const attach: Array<string> = []
  const deferred: Array<Deferral> = []
  const notices: Array<string> = []
  const images: Array<NonNullable<Resulted["images"]>[number]> = []
  const written: Array<FileVersion> = []
  const inputs: Array<AskedInput> = []
  const unsent: Array<ToolCall> = []
  let asked: Resulted["asked"] = askedBy(context, run, asks)
  for (const { call, millis, outcome } of finished) {
    const result = toolResultOf(call, outcome.content, millis)
    if (outcome._tag === "Dispatched") continue
    if (outcome._tag === "Asked") {
      asked ??= {
        id: call.id,
        question: outcome.content,
        ...(outcome.choices === undefined ? {} : { choices: outcome.choices })
      }
    } else if (outcome._tag === "Requires") {
      if (run.turn?.inputs?.get(call.id) !== outcome.input) inputs.push(Struct.omit(outcome.input, "answers"))
      const question = openQuestion(outcome.input)
      if (question !== null) asked ??= serverQuestion(question, context.toolbox.find(call.name)?.server?.name)
    } else if (outcome._tag === "Unauthorized") {
      unsent.push(call)
    } else if (outcome._tag === "Deferred") {
      deferred.push({ id: call.id, until: outcome.until, message: result.message })
    } else {
      results.push(result)
      attach.push(...outcome.attach ?? [])
      if (outcome.writes !== undefined) written.push(...ownVersion(run, outcome.writes))
      if (outcome.notice !== undefined) notices.push(outcome.notice)
      images.push(...(outcome.images ?? []).map((image) => ({ id: call.id, image })))
    }
  }
  const [signIn] = [...waits, ...unsent.flatMap((call) => signInFor(context, call) ?? [])]
  if (signIn !== undefined) asked ??= signInQuestion(signIn, context.settings.console)
  const { preset, revision } = context.policies.current()
  const calls = [...decided, ...asks.map((one) => one.decided), ...finished.flatMap((one) => one.decided ?? [])]
  for (const { cause, effect } of calls) callsDecided(1, { effect, cause })
  return {
    kind: "results",
    results,
    ...(attach.length === 0 ? {} : { attach }),
    ...(images.length === 0 ? {} : { images }),
    ...(deferred.length === 0 ? {} : { deferred }),
    ...(asked === undefined ? {} : { asked }),
    ...(inputs.length === 0 ? {} : { inputs }),
    ...(unsent.length === 0 ? {} : { unsent: unsent.map(({ id }) => id) }),
    ...(asks.length === 0 ? {} : { asking: asks.map((one) => one.asked) }),
    ...(notices.length === 0 ? {} : { notices }),
    decided: { revision, preset, calls },
    ...(isOutside(run.seen) && run.seen.privateSince !== null ? {} : shownOf(finished)),
    ...(written.length === 0 || isOutside(run.seen) ? {} : { written })
  }
}

/** The id is the call's, or the JSON array of several. */
const askedBy = <E>({ task }: ToolStepContext<E>, run: Run, asks: Beside["asks"]): Resulted["asked"] => {
  const [only, another] = asks
  if (only === undefined) return undefined
  return {
    id: another === undefined ? only.asked.id : ToolCallId.make(JSON.stringify(asks.map(({ asked }) => asked.id))),
    ...approvalQuestion(asks, run.seen, task.creator)
  }
}

const serverQuestion = (
  question: ServerQuestion & { readonly id: ToolCallId },
  server: string | undefined
): Resulted["asked"] => ({
  id: question.id,
  ...(server === undefined ? {} : { server }),
  question: question.text,
  choices: choicesOf(question),
  ...(question.form === undefined ? {} : { form: JSON.stringify(question.form) }),
  ...(question.url === undefined ? {} : { url: question.url })
})

const shownOf = (finished: ReadonlyArray<Finished>): Pick<Resulted, "shown"> => {
  const shown = mergedShown(finished.map((one) => one.shown))
  return Object.keys(shown).length === 0 ? {} : { shown }
}

/** A file to which the task added something is its own only if it was before. */
const ownVersion = (
  { seen }: Run,
  { after, digest, path }: FileVersion & { readonly after?: string }
): ReadonlyArray<FileVersion> =>
  after === undefined || after === emptyDigest || seen.written.get(path) === after ? [{ path, digest }] : []

export const outgoingOf = (finished: ReadonlyArray<Finished>): Pick<StepOutcome, "outgoing"> => {
  const outgoing = finished.flatMap(({ outcome }) => outcome._tag === "Answered" ? outcome.outgoing ?? [] : [])
  return outgoing.length === 0 ? {} : { outgoing }
}
