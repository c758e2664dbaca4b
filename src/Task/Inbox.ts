import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"

/** The key and the kind of the command that all awaited subtasks have ended. */
export const subtasksEnded = "subtasks_ended"

export const CommandBody = Schema.Union(
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
export class Inbox extends Context.Tag("troupe/Task/Inbox")<Inbox, {
  readonly read: (taskId: TaskId) => Effect.Effect<ReadonlyArray<Command>>
}>() {
  static readonly layer: Layer.Layer<Inbox, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, (database) =>
      Inbox.of({
        read: (taskId) =>
          database.execute(read, [taskId]).pipe(
            Effect.flatMap(Schema.decodeUnknown(Schema.Array(CommandRow))),
            Effect.orDie
          )
      }))
  )
}

const CommandRow = Schema.Struct({ key: Schema.String, body: Schema.parseJson(CommandBody) })

const read: Prepared = {
  name: "inbox_read",
  text: "select key, body from inbox where task_id = $1::uuid order by number"
}
