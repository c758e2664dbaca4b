import { ApprovalId, denied, notApproved } from "@troupe/domain/Approval"
import { repeatsChoice } from "@troupe/domain/Choices"
import { storedDoneBy } from "@troupe/domain/DoneBy"
import { type TaskId, ToolCallId } from "@troupe/domain/Ids"
import { openCalls, type Run } from "@troupe/domain/Run"
import { shownByText } from "@troupe/domain/SeenContext"
import { type GivenInput, openQuestion, ServerAnswer } from "@troupe/domain/ServerQuestion"
import { mergedShown, type Shown } from "@troupe/domain/Shown"
import type { Modelled, Resulted, Step } from "@troupe/domain/Step"
import { Effect, Schema, Struct } from "effect"
import { type Result, toolResultOf } from "../../Agent/ToolCalls.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"

/** The key and the kind of the command that all awaited subtasks have ended. */
export const subtasksEnded = "subtasks_ended"

const CommandBody = Schema.Union(
  /** `trusted`: written by a person with a right to the task. `approves`: it approves what the call would do. */
  Schema.Struct({
    kind: Schema.Literal("answered"),
    toolCallId: Schema.String,
    text: Schema.String,
    trusted: Schema.optional(Schema.Boolean),
    approves: Schema.optional(Schema.Boolean),
    /** The answer to a question of a tool server. */
    given: Schema.optional(Schema.NullOr(ServerAnswer))
  }),
  /** What a person decided about a call that asks. */
  Schema.Struct({
    kind: Schema.Literal("decided"),
    toolCallId: ToolCallId,
    approval: ApprovalId,
    isApproved: Schema.Boolean,
    ...storedDoneBy,
    reason: Schema.optional(Schema.NullOr(Schema.String)),
    /** JSON of the arguments as the person has changed them. */
    arguments: Schema.optional(Schema.NullOr(Schema.String))
  }),
  Schema.Struct({
    kind: Schema.Literal("steered"),
    text: Schema.String,
    ...storedDoneBy,
    trusted: Schema.optional(Schema.Boolean),
    aside: Schema.optional(Schema.Boolean)
  }),
  Schema.Struct({ kind: Schema.Literal(subtasksEnded) })
)
export type CommandBody = typeof CommandBody.Type

export interface Command {
  readonly key: string
  readonly body: CommandBody
}

/** Commands for a task's actor, written with its wake-up; the journal deletes them with the step that acts on them. */
export const makeInbox = Effect.map(PreparedStatements, ({ execute }) => ({
  read: (taskId: TaskId): Effect.Effect<ReadonlyArray<Command>> => commandRows(execute(read({ task: taskId })))
}))
export type Inbox = Effect.Effect.Success<typeof makeInbox>

const commandRows = rowsOf(Schema.Struct({ key: Schema.String, body: Schema.parseJson(CommandBody) }))

const read = prepared("inbox_read", ["task"], "select key, body from inbox where task_id = $task::uuid order by number")

/**
 * Answers as the results of the calls that asked, all in one step; null without any. One to no open call is dropped. A
 * call that is approved has no result yet: it runs again.
 */
export const answersTo = ({ turn }: Run, commands: ReadonlyArray<Command>): Step | null => {
  const open = turn === null ? [] : openCalls(turn)
  const answers = commands.flatMap(({ body }) => body.kind === "answered" ? [body] : [])
  const decisions = commands.flatMap(({ body }) => body.kind === "decided" ? [body] : [])
  if (answers.length + decisions.length === 0) return null
  const results: Array<Result> = []
  const approved: Array<ToolCallId> = []
  const trusted: Array<ToolCallId> = []
  const shown: Array<Shown> = []
  const inputs: Array<GivenInput> = []
  for (const { approves, given, text, toolCallId, ...answer } of answers) {
    const asking = [...turn?.inputs?.values() ?? []].flatMap((input) => {
      const question = openQuestion(input)
      return question?.id === toolCallId ? [{ id: input.id, key: question.key }] : []
    })
    if (given !== undefined && given !== null) {
      inputs.push(...asking.map((one) => ({ ...one, ...given })))
      continue
    }
    const call = open.find(({ id }) => id === toolCallId)
    if (call === undefined) continue
    const question = turn?.questions?.get(call.id)
    if (question?.digest === undefined) {
      results.push(toolResultOf(call, text))
      const isChoice = question?.choices?.includes(text) === true
      if (answer.trusted === true) shown.push(shownByText(text))
      else if (!isChoice) shown.push({ outside: "an answer of somebody without a right to the task" })
      // The agent wrote the choices, so they are no trusted text.
      if (answer.trusted === true && !repeatsChoice(text, question?.choices ?? [])) trusted.push(call.id)
    } else if (approves === true) approved.push(call.id)
    // This is no trusted text: an address in a refusal may be what is refused.
    else results.push(toolResultOf(call, notApproved(text)))
  }
  const edits: Array<NonNullable<Resulted["edits"]>[number]> = []
  for (const { approval, arguments: edited, isApproved, name, reason = null, toolCallId } of decisions) {
    const call = open.find(({ id }) => id === toolCallId)
    // Of a question that was asked anew, only the last one counts.
    if (call === undefined || turn?.asking?.get(call.id)?.approval !== approval) continue
    if (!isApproved) results.push(toolResultOf(call, denied(call.name, name ?? null, reason)))
    else {
      approved.push(call.id)
      if (typeof edited === "string") edits.push({ id: call.id, arguments: edited })
    }
  }
  return {
    kind: "results",
    results,
    ...(edits.length === 0 ? {} : { edits }),
    ...(inputs.length === 0 ? {} : { given: inputs }),
    shown: mergedShown(shown),
    ...(approved.length === 0 ? {} : { approved }),
    ...(trusted.length === 0 ? {} : { trusted })
  }
}

export const messagesIn = (commands: ReadonlyArray<Command>): Step => ({
  kind: "steered",
  messages: commands.flatMap(({ body }) =>
    body.kind === "steered"
      ? [{
        ...Struct.omit(body, "kind", "trusted", "aside"),
        ...(body.aside === true ? { aside: true } : {}),
        ...(body.trusted === true ? { trusted: true } : {})
      }]
      : []
  )
})

export const reopened = (step: Modelled): Step =>
  Struct.omit(step, "end", "endedBy", "files", "note", "output", "reported")
