import * as Options from "@effect/cli/Options"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import type { CommandFailed } from "./CommandFailed.ts"
import { Service } from "./Service.ts"

/** Whose files or memories are meant. */
export const userOption = Options.optional(Options.text("user").pipe(Options.withSchema(UserId))).pipe(
  Options.withDescription("Whose; default: yours")
)

/** The given user, else the one of the token, who is the default user on a self-hosted service. */
export const ownerOf: (given: Option.Option<UserId>) => Effect.Effect<UserId, CommandFailed, Service> = Option.match({
  onNone: () => Effect.flatMap(Service, ({ call }) => Effect.map(call(({ users }) => users.me({})), ({ id }) => id)),
  onSome: Effect.succeed
})
