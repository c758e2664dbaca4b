import { Either, Option, Schema } from "effect"
import { recordId, UserId } from "./Ids.ts"
import { mailboxOf } from "./Mailbox.ts"
import { Timestamp } from "./Timestamp.ts"
import { Role } from "./User.ts"

export const Tier = Schema.Literal("free", "team", "enterprise")
export type Tier = typeof Tier.Type

const seats: Record<Tier, number | null> = { free: 3, team: 25, enterprise: null }

/** The seats of a team; null: no limit. */
export const seatsOf = (tier: Tier, maxUsers: Option.Option<number>): number | null =>
  Option.getOrElse(maxUsers, () => seats[tier])

/** The one spelling of an e-mail address by which members are recognised; none if it is not a plain address. */
export const memberEmail = (text: string): Option.Option<string> =>
  mailboxOf(text).pipe(
    Either.getRight,
    Option.filter(({ name }) => name === "" && !text.includes("<")),
    Option.map(({ address }) => address.toLowerCase())
  )

export const MemberId = recordId("MemberId", "Id of the invitation")
export type MemberId = typeof MemberId.Type

const fields = {
  email: Schema.String.annotations({ description: "The address that the invited person signs in with" }),
  name: Schema.NullOr(Schema.String).annotations({ description: "Full name" }),
  role: Role.annotations({ description: "What the member may do in the team" }),
  status: Schema.Literal("pending", "active").annotations({ description: "pending: has not signed in yet" })
}

/** A seat of the team, of a member or an open invitation. */
export const TeamMember = Schema.Struct({
  id: MemberId,
  user_id: Schema.NullOr(UserId).annotations({ description: "The user; null until the first sign-in" }),
  ...fields
}).annotations({ identifier: "TeamMember" })
export type TeamMember = typeof TeamMember.Type

export const Invitation = Schema.Struct({
  id: MemberId,
  ...fields,
  invited_by: Schema.NullOr(UserId).annotations({ description: "Who invited; null for the owner" }),
  invited_at: Timestamp.annotations({ description: "When" })
}).annotations({ identifier: "TeamInvitation" })
export type Invitation = typeof Invitation.Type

const Person = Schema.NullOr(Schema.Struct({ name: Schema.NullOr(Schema.String), email: Schema.String }))

/** An invitation as the invited person reads it. */
export const InvitationLetter = Schema.Struct({
  ...Invitation.fields,
  /** Null: the operator of the service. */
  inviter: Person,
  owner: Person,
  /** False after its sender has lost the right to invite. */
  is_valid: Schema.Boolean
})
export type InvitationLetter = typeof InvitationLetter.Type

export const TeamInfo = Schema.Struct({
  tier: Tier.annotations({ description: "TIER" }),
  max_users: Schema.NullOr(Schema.Int).annotations({ description: "Seats of the team; null: no limit" }),
  user_count: Schema.Int.annotations({ description: "Seats that are taken; an open invitation takes one" }),
  seats_remaining: Schema.NullOr(Schema.Int).annotations({ description: "Free seats; null: no limit" }),
  members: Schema.Array(TeamMember).annotations({ description: "The members and the invited, by name" })
}).annotations({ identifier: "TeamInfo" })
export type TeamInfo = typeof TeamInfo.Type

/** Invited, although already in the team. */
export class AlreadyMember extends Schema.TaggedError<AlreadyMember>()("AlreadyMember", { email: Schema.String }) {
  override get message() {
    return `${this.email} is a member of the team already.`
  }
}

export class SeatsTaken extends Schema.TaggedError<SeatsTaken>()("SeatsTaken", { max_users: Schema.Int }) {
  override get message() {
    return `All ${this.max_users} seats of the team are taken. The operator can raise TIER or MAX_USERS.`
  }
}

/** No seat has this id. */
export class MemberNotFound extends Schema.TaggedError<MemberNotFound>()("MemberNotFound", { id: Schema.String }) {
  override get message() {
    return `The team has no member or invitation ${this.id}.`
  }
}

export class OwnerNotChangeable extends Schema.TaggedError<OwnerNotChangeable>()("OwnerNotChangeable", {}) {
  override get message() {
    return "The owner can't be removed or get another role. The operator can change TEAM_OWNER_EMAIL."
  }
}

/** A self-hosted service has no team. */
export class TeamNotFound extends Schema.TaggedError<TeamNotFound>()("TeamNotFound", {}) {
  override get message() {
    return "There is no team: DEPLOYMENT_MODE is self-hosted."
  }
}
