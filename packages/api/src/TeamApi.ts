import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Invitation, memberEmail, TeamInfo, TeamMember } from "@troupe/domain/Team"
import { Option, Schema } from "effect"
import { AdminOnly, Authentication, HostedOnly } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, text, titled, withStatus } from "./Fields.ts"
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
