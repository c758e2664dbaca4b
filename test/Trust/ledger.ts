import { Decided } from "@troupe/domain/Shown"
import { Array, Effect, Schema } from "effect"
import type { Troupe } from "./troupe.ts"

const Body = Schema.parseJson(Schema.Struct({
  message: Schema.optional(Schema.Struct({
    tool_calls: Schema.optional(Schema.Array(Schema.Struct({ id: Schema.String, arguments: Schema.String })))
  })),
  decided: Schema.optional(Decided),
  kind: Schema.String,
  calls: Schema.optional(Schema.Unknown)
}))

const decode = Schema.decodeUnknownSync(Body)
const isIds = Schema.is(Schema.Array(Schema.String))

export interface LedgerCall {
  readonly args: string
  /** Whether its beginning was journalled, as it is of each call with an effect outside. */
  readonly isStarted: boolean
  readonly decisions: ReadonlyArray<Decided["calls"][number]>
}

/** What the journals of all tasks say of each call. */
export const ledgerOf = ({ query }: Troupe): Effect.Effect<ReadonlyArray<LedgerCall>> =>
  Effect.map(query<{ task_id: string; body: string }>("select task_id::text, body from steps order by seq"), (rows) => {
    const steps = rows.map(({ body, task_id }) => ({ task: task_id, ...decode(body) }))
    const started = new Set(
      steps.flatMap(({ calls, kind, task }) =>
        kind === "started" && isIds(calls) ? calls.map((id) => `${task} ${id}`) : []
      )
    )
    const decisions = Array.groupBy(
      steps.flatMap(({ decided, task }) => (decided?.calls ?? []).map((call) => ({ key: `${task} ${call.id}`, call }))),
      ({ key }) => key
    )
    return steps.flatMap(({ message, task }) =>
      (message?.tool_calls ?? []).map(({ arguments: args, id }) => ({
        args,
        isStarted: started.has(`${task} ${id}`),
        decisions: (decisions[`${task} ${id}`] ?? []).map(({ call }) => call)
      }))
    )
  })
