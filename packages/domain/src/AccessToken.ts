import { Schema } from "effect"
import { recordId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"
import { Role } from "./User.ts"

export const AccessTokenId = recordId("AccessTokenId", "Token id: a time-sortable UUIDv7")
export type AccessTokenId = typeof AccessTokenId.Type

/** A token with which programs act as a member of the team. */
export const AccessToken = Schema.Struct({
  id: AccessTokenId,
  name: Schema.String.annotations({ description: "What it is for" }),
  prefix: Schema.String.annotations({ description: "How the token begins, to recognise it" }),
  role: Role.annotations({ description: "The most that it may do; never more than its member may" }),
  created_at: Timestamp.annotations({ description: "When it was created" }),
  last_used_at: Schema.NullOr(Timestamp).annotations({
    description: "When it was last used, to about a minute; null: never"
  }),
  expires_at: Schema.NullOr(Timestamp).annotations({ description: "When it ends; null: with the seat" })
}).annotations({ identifier: "AccessToken" })
export type AccessToken = typeof AccessToken.Type

/** The only answer that has the token itself. */
export const CreatedAccessToken = Schema.Struct({
  ...AccessToken.fields,
  token: Schema.String.annotations({ description: "The token, which is not shown again: `trp_` and 40 characters" })
}).annotations({ identifier: "CreatedAccessToken" })
export type CreatedAccessToken = typeof CreatedAccessToken.Type

/** Whether a text may be a token of the service; ID tokens have another form. */
export const isAccessToken = (text: string): boolean => /^trp_[A-Za-z0-9]{40}$/.test(text)

/** How a bearer token begins that can't be an ID token. */
export const accessTokenStart = "trp_"

export class AccessTokenNotFound extends Schema.TaggedError<AccessTokenNotFound>()("AccessTokenNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `There is no token ${this.id}.`
  }
}
