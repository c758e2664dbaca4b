import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { AccessToken, AccessTokenId, CreatedAccessToken } from "@troupe/domain/AccessToken"
import { Invitation, memberEmail, TeamInfo, TeamMember } from "@troupe/domain/Team"
import { Role } from "@troupe/domain/User"
import { Option, Schema } from "effect"
import { AdminOnly, Authentication, HostedOnly } from "./Authentication.ts"
import { checkedWhole, described, optional, pathParameter, person, text, titled, withStatus } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

export const InviteRequest = Schema.Struct({
  email: Schema.String.pipe(
    Schema.filter((given) => Option.isSome(memberEmail(given)), {
      message: () => "an e-mail address like ada@example.org",
      jsonSchema: { format: "email", maxLength: 254 }
    })
  ).annotations({ description: "The address that the invited person signs in with" }),
  name: Schema.optionalWith(text(200, "Full name"), { nullable: true }),
  role: Schema.optionalWith(
    Schema.Literal("admin", "member").annotations({
      description: "What the invited person may do; default: member",
      message: () => "admin or member"
    }),
    { default: () => "member", nullable: true }
  )
}).annotations({ identifier: "TeamInviteRequest" })
export type InviteRequest = typeof InviteRequest.Type

export const MemberChange = Schema.Struct({
  role: Schema.Literal("admin", "member").annotations({
    description: "What the member may do",
    message: () => "admin or member"
  })
}).annotations({ identifier: "TeamMemberChange" })
export type MemberChange = typeof MemberChange.Type

const Invited = withStatus(201, Invitation)

const memberId = pathParameter("member_id", "Id of the invitation, also once it is accepted")

/** The team of a hosted service. */
export class TeamApi extends HttpApiGroup.make("team")
  .add(
    HttpApiEndpoint.post("invite", "/team/invite")
      .setPayload(checkedWhole(InviteRequest))
      .addSuccess(Invited)
      .addSuccess(Invitation)
      .addError(Problems.alreadyMember)
      .addError(Problems.seatsTaken)
      .middleware(AdminOnly)
      .annotateContext(described("Invites a member; 200 with the same invitation while one is open"))
  )
  .add(
    HttpApiEndpoint.get("info", "/team/info")
      .addSuccess(TeamInfo)
      .annotateContext(described("The tier, the seats and the members"))
  )
  .add(
    HttpApiEndpoint.put("change")`/team/members/${memberId}`
      .setPayload(checkedWhole(MemberChange))
      .addSuccess(TeamMember)
      .addError(Problems.memberNotFound)
      .addError(Problems.ownerNotChangeable)
      .middleware(AdminOnly)
      .annotateContext(described("Sets the role of a member or of an invitation; it counts from the next request on"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/team/members/${memberId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.memberNotFound)
      .addError(Problems.ownerNotChangeable)
      .middleware(AdminOnly)
      .annotateContext(described("Removes a member or withdraws an invitation, and frees the seat"))
  )
  .middlewareEndpoints(Authentication)
  .middlewareEndpoints(HostedOnly)
  .annotateContext(titled("Team", "The team of a hosted service."))
{}

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
