import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { AccessToken, AccessTokenId, CreatedAccessToken } from "@troupe/domain/AccessToken"
import { Role } from "@troupe/domain/User"
import { Schema } from "effect"
import { Authentication, HostedOnly } from "./Authentication.ts"
import { checkedWhole, described, optional, pathParameter, person, text, titled, withStatus } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const maxDays = 3_650

export const TokenRequest = Schema.Struct({
  name: text(100, "What it is for"),
  role: optional(Role.annotations({
    description: "The most that it may do, up to the caller's own role; default: member",
    message: () => "owner, admin or member"
  })),
  expires_in_days: optional(
    Schema.Int.pipe(
      Schema.between(1, maxDays),
      Schema.annotations({
        description: "Days until it ends; default: it ends with the seat",
        message: () => ({ message: `a whole number from 1 to ${maxDays}`, override: true })
      })
    )
  )
}).annotations({ identifier: "AccessTokenRequest" })
export type TokenRequest = typeof TokenRequest.Type

const tokenId = pathParameter("token_id", "Token id")

/** Tokens of a hosted service for programs. */
export class TokensApi extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.get("list", "/api/tokens")
      .setUrlParams(checkedWhole(Schema.Struct({
        user_id: Schema.optional(person("Only admins name others; default: the caller")),
        ...page(AccessTokenId)
      })))
      .addSuccess(Schema.Array(AccessToken))
      .addError(Problems.personUnknown)
      .annotateContext(described("The caller's tokens, newest first; never the tokens themselves"))
  )
  .add(
    HttpApiEndpoint.post("create", "/api/tokens")
      .setPayload(checkedWhole(TokenRequest))
      .addSuccess(withStatus(201, CreatedAccessToken))
      .annotateContext(
        described(
          "Creates a token that counts wherever an ID token does, and acts as the caller with at most its role. Only this response "
            + "contains it. 403 for a caller that uses such a token, and for a role above the caller's"
        )
      )
  )
  .add(
    HttpApiEndpoint.del("remove")`/api/tokens/${tokenId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.accessTokenNotFound)
      .annotateContext(
        described("Revokes a token at once, in every process. Owner and admins may revoke the tokens of every member")
      )
  )
  .middlewareEndpoints(Authentication)
  .middlewareEndpoints(HostedOnly)
  .annotateContext(titled("Tokens", "Tokens of a hosted service for programs."))
{}
