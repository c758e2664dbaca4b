import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Channel, ChannelMembership, ChannelRecordId, MembershipChanges, SyncReport } from "@troupe/domain/Channel"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { page } from "./Listing.ts"
import * as PeopleProblems from "./PeopleProblems.ts"
import { UserCursor } from "./UsersApi.ts"

const described = (description: string) => OpenApi.annotations({ description })

/** Any string: an id of another form gets 404 like an unknown id, not 400. */
const channelId = HttpApiSchema.param(
  "channel_id",
  Schema.String.annotations({ description: "The chat platform's id of the channel" })
)
const memberId = HttpApiSchema.param(
  "user_id",
  Schema.String.annotations({ description: "User id, or the chat platform's id of the user" })
)

/** Channels of the chat platform, and who is in them. */
export class ChannelsApi extends HttpApiGroup.make("channels")
  .add(
    HttpApiEndpoint.get("list", "/api/channels/")
      .setUrlParams(Schema.Struct(page(ChannelRecordId)))
      .addSuccess(Schema.Array(Channel))
      .annotateContext(described("All discovered channels, newest first"))
  )
  .add(
    HttpApiEndpoint.get("find")`/api/channels/${channelId}`
      .addSuccess(Channel)
      .addError(PeopleProblems.channelNotFound)
      .annotateContext(described("A channel"))
  )
  .add(
    HttpApiEndpoint.post("syncAll", "/api/channels/sync")
      .addSuccess(SyncReport)
      .addError(PeopleProblems.chatNotConfigured)
      .middleware(AdminOnly)
      .annotateContext(
        described("Syncs users, channels and their members with the chat platform, and responds when that is done")
      )
  )
  .add(
    HttpApiEndpoint.post("sync")`/api/channels/${channelId}/sync`
      .addSuccess(SyncReport)
      .addError(PeopleProblems.channelNotFound)
      .addError(PeopleProblems.chatNotConfigured)
      .middleware(AdminOnly)
      .annotateContext(described("Syncs a channel and its members"))
  )
  .add(
    HttpApiEndpoint.get("members")`/api/channels/${channelId}/members`
      .setUrlParams(Schema.Struct(page(UserCursor)))
      .addSuccess(Schema.Array(ChannelMembership))
      .addError(PeopleProblems.channelNotFound)
      .annotateContext(described("The members of a channel with their roles, by name, then by id"))
  )
  .add(
    HttpApiEndpoint.put("changeMember")`/api/channels/${channelId}/members/${memberId}`
      .setPayload(MembershipChanges)
      .addSuccess(ChannelMembership)
      .addError(PeopleProblems.channelNotFound)
      .addError(PeopleProblems.membershipNotFound)
      .middleware(AdminOnly)
      .annotateContext(described("Sets what a member does in the channel; the prompts of agents contain it"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(OpenApi.annotations({ title: "Channels" }))
{}
