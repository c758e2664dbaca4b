import { Schema } from "effect"

export const callsOf = (
  message: { readonly tool_calls: ReadonlyArray<{ readonly name: string; readonly arguments: string }> }
) => message.tool_calls.map(({ arguments: args, name }) => [name, args])

const bodyShape = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export const isBody = Schema.is(bodyShape)
