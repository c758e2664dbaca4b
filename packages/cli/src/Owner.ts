import * as Options from "@effect/cli/Options"
import { defaultUser, UserId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { CommandFailed } from "./CommandFailed.ts"
import { Service } from "./Service.ts"

/** Whose files or memories are meant. */
export const userOption = Options.optional(Options.text("user").pipe(Options.withSchema(UserId))).pipe(
  Options.withDescription("Whose; default: yours")
)

/** The given user, else the one of the token, else the only one of a self-hosted service. */
export const ownerOf = (given: Option.Option<UserId>): Effect.Effect<UserId, CommandFailed, Service> =>
  Effect.gen(function*() {
    if (Option.isSome(given)) return given.value
    const { call, email } = yield* Service
    if (Option.isNone(email)) return defaultUser
    const { members } = yield* call(({ team }) => team.info({}))
    const own = members.find((member) => member.email.toLowerCase() === email.value)?.user_id ?? null
    return own ?? (yield* new CommandFailed({
      reason: "usage",
      message: "The token does not say who you are in the team. Name the user with --user."
    }))
  }).pipe(
    // A self-hosted service ignores the token and has no team.
    Effect.catchIf(({ reason }) => reason === "refused", () => Effect.succeed(defaultUser))
  )
