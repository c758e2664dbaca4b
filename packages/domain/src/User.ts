import { DateTime, Option, Schema } from "effect"
import { defaultUser, systemUser, UserId } from "./Ids.ts"
import { Timestamp } from "./Task.ts"

export const Role = Schema.Literal("owner", "admin", "member")
export type Role = typeof Role.Type

/** A way to reach a user. Whatever the choice, everything stands in the feed. */
export const NotifyBy = Schema.Literal("chat", "email", "ui")

const text = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

/** Fields that a person may set; each one that was set is an override, which no sync writes. */
export const OverrideField = Schema.Literal(
  "name",
  "display_name",
  "email",
  "title",
  "timezone",
  "responsibilities",
  "notify_by"
)

/** Somebody who works with the service (contract.md 4). */
export const User = Schema.Struct({
  id: UserId,
  name: text("Full name"),
  display_name: text("What to call the user"),
  email: text("E-mail address"),
  chat_user_id: text("The user's id on the chat platform"),
  title: text("What the user does in the team"),
  timezone: text("IANA time zone"),
  role: Role.annotations({ description: "What the user may do in the team" }),
  responsibilities: text("What the user is responsible for"),
  avatar_url: text("A picture of the user"),
  is_system: Schema.Boolean.annotations({ description: "No person: owns what webhooks cause" }),
  notify_by: Schema.Array(NotifyBy).annotations({
    description: "How the user is notified beside the feed; empty: where the task came from"
  }),
  overrides: Schema.Array(OverrideField).annotations({ description: "Fields set by hand, which no sync writes" }),
  created_at: Timestamp.annotations({ description: "When the service first met the user" }),
  updated_at: Timestamp.annotations({ description: "When a field last changed" })
}).annotations({ identifier: "User" })
export type User = typeof User.Type

/** Where a page of the list of users ended. The list is sorted by name, ignoring case, then by id. */
export const UserPosition = Schema.Struct({ name: Schema.String, id: UserId })
export type UserPosition = typeof UserPosition.Type

/** A user without a name is sorted by id. */
export const positionOf = ({ id, name }: Pick<User, "id" | "name">): UserPosition => ({ name: name ?? id, id })

/** What the service knows of a user it meets for the first time. The default user owns a self-hosted instance. */
export const newcomer = (id: UserId): Pick<User, "id" | "name" | "role" | "is_system"> => ({
  id,
  name: id,
  role: id === defaultUser ? "owner" : "member",
  is_system: id === systemUser
})

/** One rule, so that whatever is wrong has one message. */
const bounded = (length: number, description: string) =>
  Schema.NullOr(
    Schema.String.pipe(Schema.filter((value) => value.length <= length && value.trim() !== "", {
      message: () => `1 to ${length} characters, or null`,
      jsonSchema: { minLength: 1, maxLength: length }
    }))
  ).annotations({ description })

const isZone = (name: string): boolean => /^[A-Za-z]/.test(name) && Option.isSome(DateTime.zoneMakeNamed(name))

/** One address, without a name and without what could end a header line. */
const address = /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+\.[^\s@.<>()[\]\\,;:"\p{Cc}]+$/u

const email = Schema.String.pipe(Schema.filter((value) => value.length <= 254 && address.test(value), {
  message: () => "an e-mail address like ada@example.org, or null",
  jsonSchema: { format: "email", maxLength: 254 }
}))

/** What a person changes of a user. A field that is there becomes an override; null takes its value away. */
export const UserChanges = Schema.Struct({
  name: Schema.optional(bounded(200, "Full name")),
  display_name: Schema.optional(bounded(200, "What to call the user")),
  email: Schema.optional(Schema.NullOr(email).annotations({ description: "E-mail address" })),
  title: Schema.optional(bounded(200, "What the user does in the team")),
  timezone: Schema.optional(
    Schema.NullOr(
      Schema.String.pipe(Schema.filter(isZone)).annotations({
        message: () => "the name of an IANA time zone like Europe/Berlin, or null"
      })
    ).annotations({ description: "IANA time zone" })
  ),
  responsibilities: Schema.optional(bounded(4_000, "What the user is responsible for")),
  notify_by: Schema.optional(
    Schema.NullOr(
      Schema.transform(Schema.Array(NotifyBy).pipe(Schema.maxItems(3)), Schema.Array(NotifyBy), {
        strict: true,
        decode: (ways) => [...new Set(ways)],
        encode: (ways) => ways
      })
    ).annotations({ description: "How to notify the user beside the feed; null or empty: where the task came from" })
  )
}).annotations({ identifier: "UserChanges" })
export type UserChanges = typeof UserChanges.Type

/** What a sync knows of a user. It may also move fields that nobody sets by hand. */
export type UserProfile = Partial<
  Pick<User, "name" | "display_name" | "email" | "chat_user_id" | "title" | "timezone" | "avatar_url">
>

export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", { id: Schema.String }) {
  override get message() {
    return `There is no user ${this.id}.`
  }
}
