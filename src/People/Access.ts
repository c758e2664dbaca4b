import { CurrentUser } from "@troupe/api/Authentication"
import { isAdmin, isSelfHosted, NotAllowed } from "@troupe/domain/Caller"
import { isUserId, type UserId } from "@troupe/domain/Ids"
import { UserNotFound } from "@troupe/domain/User"
import { Effect, Option } from "effect"

export const actingFor = (given: UserId | null | undefined): Effect.Effect<UserId, NotAllowed, CurrentUser> =>
  Effect.flatMap(CurrentUser, (caller) => {
    if (given === null || given === undefined || given === caller.id) return Effect.succeed(caller.id)
    return isAdmin(caller) ? Effect.succeed(given) : notYours
  })

/** Who answers a question: the given user, else the caller. */
export const answering = (
  given: UserId | null | undefined
): Effect.Effect<Option.Option<UserId>, NotAllowed, CurrentUser> => Effect.map(actingFor(given), Option.some)

/** Who sends a message: the given user, else the caller; self-hosted, none, and the task's owner is meant. */
export const sending = (
  given: UserId | null | undefined
): Effect.Effect<Option.Option<UserId>, NotAllowed, CurrentUser> =>
  Effect.zipWith(
    CurrentUser,
    actingFor(given),
    (caller, id) => isSelfHosted(caller) ? Option.fromNullable(given) : Option.some(id)
  )

/** Whether the caller may see and change what belongs to this user. The id may have any form. */
export const allowedOn = (userId: string): Effect.Effect<void, NotAllowed, CurrentUser> =>
  Effect.flatMap(CurrentUser, (caller) => caller.id === userId || isAdmin(caller) ? Effect.void : notYours)

/** The id of the user whose data a request is for, if the caller may see and change it. */
export const ownIdOf = (id: string): Effect.Effect<UserId, NotAllowed | UserNotFound, CurrentUser> =>
  Effect.zipRight(allowedOn(id), isUserId(id) ? Effect.succeed(id) : new UserNotFound({ id }))

/** For some requests to an endpoint; `AdminOnly` guards whole endpoints. */
export const requireAdmin = (what: string): Effect.Effect<void, NotAllowed, CurrentUser> =>
  Effect.flatMap(
    CurrentUser,
    (caller) => isAdmin(caller) ? Effect.void : new NotAllowed({ reason: `Only an owner or admin may ${what}.` })
  )

const notYours = Effect.fail(
  new NotAllowed({ reason: "This belongs to another user. Only that user, an owner or an admin may use it." })
)
