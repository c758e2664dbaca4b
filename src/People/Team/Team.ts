import type { NotAllowed } from "@troupe/domain/Caller"
import type { UserId } from "@troupe/domain/Ids"
import {
  AlreadyMember,
  type Invitation,
  type InvitationLetter,
  MemberId,
  MemberNotFound,
  OwnerNotChangeable,
  seatsOf,
  SeatsTaken,
  type TeamInfo,
  type TeamMember,
  type Tier
} from "@troupe/domain/Team"
import type { Role } from "@troupe/domain/User"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { v7 } from "uuid"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { untilAvailable } from "../../Runtime/Database/Sql.ts"
import { TeamRepo } from "./TeamRepo.ts"

/** Mails invitations, if SMTP is set up. An invitation is valid without its mail. */
export class InvitationMails extends Context.Tag("troupe/People/Team/Team/InvitationMails")<InvitationMails, {
  readonly write: (letter: InvitationLetter) => Effect.Effect<void>
}>() {}

/** Ends what works for a member who leaves the team. */
export class MemberTasks extends Context.Tag("troupe/People/Team/Team/MemberTasks")<MemberTasks, {
  /** Cancels the member's tasks with their subtasks, and no longer sends questions of others' tasks to the member. */
  readonly end: (userId: UserId) => Effect.Effect<void>
}>() {}

export class Team extends Context.Tag("troupe/People/Team/Team")<Team, {
  readonly invite: (
    request: {
      /** As `memberEmail` spells it. */
      readonly email: string
      readonly name: string | null
      readonly role: Role
    },
    invitedBy: UserId
  ) => Effect.Effect<
    { readonly invitation: Invitation; readonly isNew: boolean },
    AlreadyMember | NotAllowed | SeatsTaken
  >
  /** The invitation with this id, for whoever has its link. */
  readonly letter: (id: string) => Effect.Effect<Option.Option<InvitationLetter>>
  readonly info: Effect.Effect<TeamInfo>
  /** A member who is no admin any more gets only the events of own tasks. */
  readonly changeRole: (
    id: string,
    role: Exclude<Role, "owner">,
    by: UserId
  ) => Effect.Effect<TeamMember, MemberNotFound | NotAllowed | OwnerNotChangeable>
  /** The user and what belongs to it stay, but its tasks are cancelled, its schedules paused and its streams end. */
  readonly remove: (id: string, by: UserId) => Effect.Effect<void, MemberNotFound | NotAllowed | OwnerNotChangeable>
}>() {
  static readonly layer = (
    { maxUsers, tier }: {
      readonly tier: Tier
      readonly maxUsers: Option.Option<number>
    }
  ): Layer.Layer<Team, never, InvitationMails | MemberTasks | Signals | TeamRepo> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const repo = yield* TeamRepo
        const mails = yield* InvitationMails
        const signals = yield* Signals
        const tasks = yield* MemberTasks
        const max_users = seatsOf(tier, maxUsers)
        const invite = Effect.fn("Team.invite")(function*(request: Parameters<Team["Type"]["invite"]>[0], by: UserId) {
          const invited = yield* repo.invite(
            { ...request, id: yield* newMemberId, invitedBy: by },
            max_users,
            mails.write
          )
          if (Option.isNone(invited)) return yield* new SeatsTaken({ max_users: max_users ?? 0 })
          const { email, status } = invited.value.invitation
          return status === "active" ? yield* new AlreadyMember({ email }) : invited.value
        })
        const info = Effect.map(repo.list, (members) => ({
          tier,
          max_users,
          user_count: members.length,
          seats_remaining: max_users === null ? null : Math.max(0, max_users - members.length),
          members
        }))
        const changeable = Effect.fnUntraced(function*(given: string) {
          const found = isMemberId(given) ? yield* repo.find(given) : Option.none()
          if (Option.isNone(found)) return yield* new MemberNotFound({ id: given })
          return found.value.role === "owner" ? yield* new OwnerNotChangeable() : found.value
        })
        const changeRole = Effect.fn("Team.changeRole")(
          function*(given: string, role: Exclude<Role, "owner">, by: UserId) {
            const member = yield* changeable(given)
            const changed = yield* repo.setRole(member.id, role, by)
            // Removed meanwhile, or the owner by now.
            if (Option.isNone(changed)) return yield* new MemberNotFound({ id: given })
            signals.send("troupe_seats")
            return changed.value
          }
        )
        const remove = Effect.fn("Team.remove")(function*(given: string, by: UserId) {
          const { id, user_id: user } = yield* changeable(given)
          const endTasks = user === null ? Effect.void : tasks.end(user)
          // Before it, so that a process that dies in between leaves a member who can be removed again.
          yield* endTasks
          yield* repo.remove(id, by)
          signals.send("troupe_seats")
          // Those that were made meanwhile.
          yield* endTasks
        })
        const letter = (id: string) => isMemberId(id) ? repo.letter(id) : Effect.succeedNone
        return Team.of({ changeRole, invite, info, letter, remove })
      })
    )
}

/** Gives TEAM_OWNER_EMAIL the role of the owner, at each start of a hosted service. */
export const layerOwner = (email: string): Layer.Layer<never, never, TeamRepo> =>
  Layer.effectDiscard(
    Effect.flatMap(Effect.all([TeamRepo, newMemberId]), ([{ setOwner }, id]) => setOwner({ email, id })).pipe(
      untilAvailable(),
      Effect.orDie
    )
  )

const isMemberId = Schema.is(MemberId)

const newMemberId = Effect.map(DateTime.now, ({ epochMillis }) => MemberId.make(v7({ msecs: epochMillis })))
