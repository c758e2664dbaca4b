import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Invitation, memberEmail, TeamInfo } from "@troupe/domain/Team"
import { Option, Schema } from "effect"
import { AdminOnly, Authentication, HostedOnly } from "./Authentication.ts"
import * as PeopleProblems from "./PeopleProblems.ts"
import { text } from "./Text.ts"

const described = (description: string) => OpenApi.annotations({ description })

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

const Invited = Invitation.annotations(HttpApiSchema.annotations({ status: 201 }))

/** Any string: an id of another form gets 404 like an unknown id, not 400. */
const memberId = HttpApiSchema.param(
  "member_id",
  Schema.String.annotations({ description: "Id of the invitation, also once it is accepted" })
)

/** The team of a hosted service. */
export class TeamApi extends HttpApiGroup.make("team")
  .add(
    HttpApiEndpoint.post("invite", "/team/invite")
      .setPayload(InviteRequest)
      .addSuccess(Invited)
      .addSuccess(Invitation)
      .addError(PeopleProblems.alreadyMember)
      .addError(PeopleProblems.seatsTaken)
      .middleware(AdminOnly)
      .annotateContext(described("Invites a member; 200 with the same invitation while one is open"))
  )
  .add(
    HttpApiEndpoint.get("info", "/team/info")
      .addSuccess(TeamInfo)
      .annotateContext(described("The tier, the seats and the members"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/team/members/${memberId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(PeopleProblems.memberNotFound)
      .addError(PeopleProblems.ownerNotRemovable)
      .middleware(AdminOnly)
      .annotateContext(described("Removes a member or withdraws an invitation, and frees the seat"))
  )
  .middlewareEndpoints(Authentication)
  .middlewareEndpoints(HostedOnly)
  .annotateContext(OpenApi.annotations({ title: "Team" }))
{}
