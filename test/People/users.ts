import type { UserId } from "@troupe/domain/Ids"
import { Effect, Layer, Option } from "effect"
import { Users } from "../../src/People/User/Users.ts"

export const first = { limit: 100, cursor: Option.none() }

export const idsOf = (users: ReadonlyArray<{ readonly id: UserId }>) => users.map(({ id }) => id)

/** What another process would have: the same database, and nothing remembered. */
export const elsewhere = Layer.build(Layer.fresh(Users.layer)).pipe(
  Effect.map((context) => Users.pipe(Effect.provide(context))),
  Effect.flatten
)
