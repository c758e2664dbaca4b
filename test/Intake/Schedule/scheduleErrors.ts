import { Effect, Option } from "effect"

export const all = { limit: 10, cursor: Option.none() }

export const reasonOf = <R>(effect: Effect.Effect<unknown, { readonly message: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)
