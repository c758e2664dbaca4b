import { NotAllowed, SignInUnavailable, Unauthenticated } from "@troupe/domain/Caller"
import { ChannelNotFound, ChatNotConfigured, MembershipNotFound } from "@troupe/domain/Channel"
import { AlreadyMember, MemberNotFound, OwnerNotRemovable, SeatsTaken, TeamNotFound } from "@troupe/domain/Team"
import { UserNotFound } from "@troupe/domain/User"
import { problem } from "./Problem.ts"

/** The domain errors of callers, the team, users and channels, each with its problem. */
export const unauthenticated = problem(Unauthenticated, {
  slug: "unauthenticated",
  status: 401,
  title: "Sign in first"
})

export const notAllowed = problem(NotAllowed, { slug: "forbidden", status: 403, title: "Not allowed" })

/** 503 with `Retry-After`. */
export const signInUnavailable = problem(SignInUnavailable, {
  slug: "sign-in-unavailable",
  status: 503,
  title: "The identity provider is unavailable"
})

export const alreadyMember = problem(AlreadyMember, {
  slug: "already-member",
  status: 409,
  title: "Already a member"
})

export const seatsTaken = problem(SeatsTaken, { slug: "seat-limit", status: 403, title: "No seats left" })

export const memberNotFound = problem(MemberNotFound, {
  slug: "member-not-found",
  status: 404,
  title: "No such member"
})

export const ownerNotRemovable = problem(OwnerNotRemovable, {
  slug: "owner-not-removable",
  status: 409,
  title: "The owner stays"
})

export const teamNotFound = problem(TeamNotFound, { slug: "not-found", status: 404, title: "Not found" })

export const userNotFound = problem(UserNotFound, {
  slug: "user-not-found",
  status: 404,
  title: "No such user"
})

export const channelNotFound = problem(ChannelNotFound, {
  slug: "channel-not-found",
  status: 404,
  title: "No such channel"
})

export const membershipNotFound = problem(MembershipNotFound, {
  slug: "membership-not-found",
  status: 404,
  title: "No such member of the channel"
})

export const chatNotConfigured = problem(ChatNotConfigured, {
  slug: "chat-not-configured",
  status: 409,
  title: "Team chat is not set up"
})
