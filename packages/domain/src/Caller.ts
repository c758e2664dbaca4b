import { Schema } from "effect"
import { defaultUser, type UserId } from "./Ids.ts"
import type { Role } from "./User.ts"

/** The user that a request comes from, with the rights of that user in the team. */
export interface Caller {
  readonly id: UserId
  readonly role: Role
  /** By an access token, which may do no more than its role, whatever the member may. */
  readonly byToken?: true
}

/** Without a sign-in, every request comes from the same user, who may do everything. */
export const selfHostedCaller: Caller = { id: defaultUser, role: "owner" }

/** Whether the service has no sign-in. No member of a team has the id of that user. */
export const isSelfHosted = ({ id }: Caller): boolean => id === defaultUser

/** Owners and admins act for every user, and change what concerns the whole team. */
export const isAdmin = ({ role }: Caller): boolean => role !== "member"

/** The request has no valid ID token. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** The caller is known, but may not do this. */
export class NotAllowed extends Schema.TaggedError<NotAllowed>()("NotAllowed", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** The keys of the identity provider have not been loaded since the start, so no token can be checked. */
export class SignInUnavailable extends Schema.TaggedError<SignInUnavailable>()("SignInUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}
