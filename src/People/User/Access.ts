import { CurrentUser } from "@troupe/api/Authentication"
import { isAdmin, isSelfHosted, NotAllowed } from "@troupe/domain/Caller"
import { isUserId, type UserId } from "@troupe/domain/Ids"
import { type PersonUnknown, UserNotFound } from "@troupe/domain/User"
import { Effect, Option } from "effect"
import type { Users } from "./Users.ts"

type Given = string | null | undefined
type Found<A> = Effect.Effect<A, NotAllowed | PersonUnknown, CurrentUser>

/** The user in whose name a request acts: the caller, or whom the caller names and may act for. */
export const actingFor = (users: Users["Type"], given: Given): Found<UserId> =>
  Effect.flatMap(CurrentUser, (caller): Effect.Effect<UserId, NotAllowed | PersonUnknown> => {
    if (given === null || given === undefined || given === caller.id) return Effect.succeed(caller.id)
    return isAdmin(caller)
      ? users.named({ given, path: "user_id", isHosted: !isSelfHosted(caller), mayBeNew: true })
      : asMember(users, given, caller.id)
  })

/** A member may name themself, in any way. Whoever else is named exists or not: the answer is the same. */
const asMember = (users: Users["Type"], given: string, own: UserId) =>
  users.named({ given, path: "user_id", isHosted: true, mayBeNew: false }).pipe(
    Effect.catchAll(() => notYours),
    Effect.filterOrElse((id) => id === own, () => notYours)
  )

/** Who answers a question: the given user, else the caller. */
export const answering = (users: Users["Type"], given: Given): Found<Option.Option<UserId>> =>
  Effect.map(actingFor(users, given), Option.some)

/** Who sends a message: the given user, else the caller; self-hosted, none, and the task's owner is meant. */
export const sending = (users: Users["Type"], given: Given): Found<Option.Option<UserId>> =>
  Effect.zipWith(
    CurrentUser,
    actingFor(users, given),
    (caller, id) => isSelfHosted(caller) && !given ? Option.none() : Option.some(id)
  )

/** Somebody whom everybody may name, and who exists. */
export const personAt = (
  users: Users["Type"],
  path: string,
  given: string
): Effect.Effect<UserId, PersonUnknown, CurrentUser> =>
  Effect.flatMap(
    CurrentUser,
    (caller) => users.named({ given, path, isHosted: !isSelfHosted(caller), mayBeNew: false })
  )

interface NamesPeople {
  readonly creator?: string | undefined
  readonly assignee?: string | undefined
}

/** With the ids of the people whom a filter of tasks names. */
export type ById<Filter> = Omit<Filter, keyof NamesPeople> & {
  readonly creator?: UserId | undefined
  readonly assignee?: UserId | undefined
}

/** Finds the people whom a filter of tasks names; `path` is where in the request it is. */
export const filterOf = <Filter extends NamesPeople>(
  users: Users["Type"],
  filter: Filter,
  path = ""
): Effect.Effect<ById<Filter>, PersonUnknown, CurrentUser> =>
  Effect.gen(function*() {
    const { assignee, creator, ...others } = filter
    return {
      ...others,
      ...(creator === undefined ? {} : { creator: yield* personAt(users, `${path}creator`, creator) }),
      ...(assignee === undefined ? {} : { assignee: yield* personAt(users, `${path}assignee`, assignee) })
    }
  })

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
