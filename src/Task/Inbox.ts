import type { TaskId } from "@troupe/domain/Ids"
import { openCalls, type Run } from "@troupe/domain/Run"
import type { Modelled, Step } from "@troupe/domain/Step"
import { Effect, Schema, Struct } from "effect"
import { resultOf } from "../Agent/ToolCalls.ts"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Query.ts"

/** The key and the kind of the command that all awaited subtasks have ended. */
export const subtasksEnded = "subtasks_ended"

const CommandBody = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("answered"), toolCallId: Schema.String, text: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("steered"), text: Schema.String, by: Schema.NullOr(Schema.String) }),
  Schema.Struct({ kind: Schema.Literal(subtasksEnded) })
)
export type CommandBody = typeof CommandBody.Type

export interface Command {
  readonly key: string
  readonly body: CommandBody
}

/** Commands for a task's actor, written with its wake-up; the journal deletes them with the step that acts on them. */
export const makeInbox = Effect.map(PreparedStatements, ({ execute }) => ({
  read: (taskId: TaskId): Effect.Effect<ReadonlyArray<Command>> => commandRows(execute(read, [taskId]))
}))
export type Inbox = Effect.Effect.Success<typeof makeInbox>

const commandRows = rowsOf(Schema.Struct({ key: Schema.String, body: Schema.parseJson(CommandBody) }))

const read: Prepared = {
  name: "inbox_read",
  text: "select key, body from inbox where task_id = $1::uuid order by number"
}

/** Answers as the results of the calls that asked, all in one step; null without any. One to no open call is dropped. */
export const answersTo = ({ turn }: Run, commands: ReadonlyArray<Command>): Step | null => {
  const open = turn === null ? [] : openCalls(turn)
  const answers = commands.flatMap(({ body }) => body.kind === "answered" ? [body] : [])
  const results = answers.flatMap(({ text, toolCallId }) => {
    const call = open.find(({ id }) => id === toolCallId)
    return call === undefined ? [] : [resultOf(call, text)]
  })
  return answers.length === 0 ? null : { kind: "results", results }
}

export const messagesIn = (commands: ReadonlyArray<Command>): Step => ({
  kind: "steered",
  messages: commands.flatMap(({ body }) => body.kind === "steered" ? [{ text: body.text, by: body.by }] : [])
})

export const reopened = (step: Modelled): Step => Struct.omit(step, "end", "files", "note", "output", "reported")
