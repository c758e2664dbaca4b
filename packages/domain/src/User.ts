import { DateTime, Option, Record, Schema } from "effect"
import { boundedText } from "./BoundedText.ts"
import {
  deliveryGateways,
  type Gateway,
  type GatewayName,
  gatewayNames,
  notifyWays,
  type UserField
} from "./DeliveryWay.ts"
import { defaultUser, systemUser, UserId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"

export const Role = Schema.Literal("owner", "admin", "member")
export type Role = typeof Role.Type

export const NotifyBy = Schema.Literal(...notifyWays, "ui")

const text = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

/** The fields with what gateways know the user by. */
const addressFields = <Field>(fieldOf: (description: string) => Field): Readonly<Record<GatewayName, Field>> =>
  Record.map<GatewayName, Gateway, Field>(
    deliveryGateways,
    ({ addressDescription }) => fieldOf(addressDescription)
  )

/** A field that a person has set is an override, which no sync changes. */
export const OverrideField = Schema.Literal(
  "name",
  "display_name",
  "email",
  "title",
  "timezone",
  "responsibilities",
  "notify_by",
  ...gatewayNames
)

export const User = Schema.Struct(
  {
    id: UserId,
    name: text("Full name"),
    display_name: text("What to call the user"),
    email: text("E-mail address"),
    chat_user_id: text("The user's id on the chat platform"),
    ...addressFields(text),
    title: text("What the user does in the team"),
    timezone: text("IANA time zone"),
    role: Role.annotations({ description: "What the user may do in the team" }),
    responsibilities: text("What the user is responsible for"),
    avatar_url: text("A picture of the user"),
    is_system: Schema.Boolean.annotations({ description: "Not a person: it owns the tasks of webhooks" }),
    notify_by: Schema.Array(NotifyBy).annotations({
      description: "How the user is notified beside the feed; empty: where the task came from"
    }),
    overrides: Schema.Array(OverrideField).annotations({ description: "Fields set by hand, which no sync writes" }),
    created_at: Timestamp.annotations({ description: "When the user was created" }),
    updated_at: Timestamp.annotations({ description: "When a field last changed" })
  } satisfies Readonly<Record<GatewayName | UserField, Schema.Schema.All>>
).annotations({ identifier: "User", description: "A person, or the service itself" })
export type User = typeof User.Type

export const UserPosition = Schema.Struct({ name: Schema.String, id: UserId })
export type UserPosition = typeof UserPosition.Type

export const positionOf = ({ id, name }: Pick<User, "id" | "name">): UserPosition => ({ name: name ?? id, id })

export const newcomer = (id: UserId): Pick<User, "id" | "name" | "role" | "is_system"> => ({
  id,
  name: id,
  role: id === defaultUser ? "owner" : "member",
  is_system: id === systemUser
})

/** A text that a person may clear by null. */
export const nullableText = (length: number, description: string) =>
  Schema.NullOr(boundedText(length, `1 to ${length} characters, or null`)).annotations({ description })

/** A time zone by its IANA name. An offset is none, because it does not follow the clock changes of a place. */
export const timeZoneOf = (name: string): Option.Option<DateTime.TimeZone> =>
  /^[A-Za-z]/.test(name) ? DateTime.zoneMakeNamed(name) : Option.none()

/** Without a name and without anything that could end a header line. */
const address = /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+\.[^\s@.<>()[\]\\,;:"\p{Cc}]+$/u

const email = Schema.String.pipe(Schema.filter((value) => value.length <= 254 && address.test(value), {
  message: () => "an e-mail address like ada@example.org, or null",
  jsonSchema: { format: "email", maxLength: 254 }
}))

export const UserChanges = Schema.Struct({
  name: Schema.optional(nullableText(200, "Full name")),
  display_name: Schema.optional(nullableText(200, "What to call the user")),
  email: Schema.optional(Schema.NullOr(email).annotations({ description: "E-mail address" })),
  ...addressFields((description) => Schema.optional(nullableText(200, description))),
  title: Schema.optional(nullableText(200, "What the user does in the team")),
  timezone: Schema.optional(
    Schema.NullOr(
      Schema.String.pipe(Schema.filter((name) => Option.isSome(timeZoneOf(name)))).annotations({
        message: () => "the name of an IANA time zone like Europe/Berlin, or null"
      })
    ).annotations({ description: "IANA time zone" })
  ),
  responsibilities: Schema.optional(nullableText(4_000, "What the user is responsible for")),
  notify_by: Schema.optional(
    Schema.NullOr(
      Schema.transform(Schema.Array(NotifyBy).pipe(Schema.maxItems(notifyWays.length + 1)), Schema.Array(NotifyBy), {
        strict: true,
        decode: (ways) => [...new Set(ways)],
        encode: (ways) => ways
      })
    ).annotations({ description: "How to notify the user beside the feed; null or empty: where the task came from" })
  )
}).annotations({ identifier: "UserChanges" })
export type UserChanges = typeof UserChanges.Type

export type UserProfile = Partial<
  Pick<User, "name" | "display_name" | "email" | "title" | "timezone" | "avatar_url">
>

/** Another user has the address. `join` would make them one user, unless `reason` says why it can't. */
export class AddressTaken extends Schema.TaggedError<AddressTaken>()("AddressTaken", {
  email: Schema.String,
  user_id: UserId,
  name: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const holder = this.name === null || this.name === this.user_id ? this.user_id : `${this.name} (${this.user_id})`
    return `${this.email} is the address of ${holder}. ${
      this.reason ?? "If that is the same person, send join: true to make them one user."
    }`
  }
}

export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", { id: Schema.String }) {
  override get message() {
    return `There is no user ${this.id}.`
  }
}

/** A person as requests name one: the service looks up who is meant. */
export const PersonName = boundedText(254, "an id, an address or a name of 1 to 254 characters")

/** A request names a person whom nobody, or more than one, answers to. */
export class PersonUnknown extends Schema.TaggedError<PersonUnknown>()("PersonUnknown", {
  path: Schema.String.annotations({ description: "Where in the request" }),
  given: Schema.String.annotations({ description: "What the request says there" }),
  is_ambiguous: Schema.Boolean.annotations({ description: "Whether more than one person is called so" }),
  candidates: Schema.Array(Schema.String).annotations({
    description: "Up to five people who may be meant: a name with an address or id"
  })
}) {
  get reason() {
    const list = this.candidates.join(", ")
    if (this.is_ambiguous) return `more than one person is called ${this.given}; name one by address or id: ${list}`
    return `nobody has the id, address or name ${this.given}${
      list === "" ? "" : `; did you mean one of these: ${list}`
    }`
  }
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}
