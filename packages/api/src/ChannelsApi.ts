import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Channel, ChannelMembership, ChannelRecordId, MembershipChanges, SyncReport } from "@troupe/domain/Channel"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, titled } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"
import { UserCursor } from "./UsersApi.ts"

const channelId = pathParameter("channel_id", "The chat platform's id of the channel")
const memberId = pathParameter("user_id", "User id, or the chat platform's id of the user")

/** Channels of the chat platform, and who is in them. */
export class ChannelsApi extends HttpApiGroup.make("channels")
  .add(
    HttpApiEndpoint.get("list", "/api/channels/")
      .setUrlParams(checkedWhole(Schema.Struct(page(ChannelRecordId))))
      .addSuccess(Schema.Array(Channel))
      .annotateContext(described("All discovered channels, newest first"))
  )
  .add(
    HttpApiEndpoint.get("find")`/api/channels/${channelId}`
      .addSuccess(Channel)
      .addError(Problems.channelNotFound)
      .annotateContext(described("A channel"))
  )
  .add(
    HttpApiEndpoint.post("syncAll", "/api/channels/sync")
      .addSuccess(SyncReport)
      .addError(Problems.chatNotConfigured)
      .middleware(AdminOnly)
      .annotateContext(
        described("Syncs users, channels and their members with the chat platform, and responds when that is done")
      )
  )
  .add(
    HttpApiEndpoint.post("sync")`/api/channels/${channelId}/sync`
      .addSuccess(SyncReport)
      .addError(Problems.channelNotFound)
      .addError(Problems.chatNotConfigured)
      .middleware(AdminOnly)
      .annotateContext(described("Syncs a channel and its members"))
  )
  .add(
    HttpApiEndpoint.get("members")`/api/channels/${channelId}/members`
      .setUrlParams(checkedWhole(Schema.Struct(page(UserCursor))))
      .addSuccess(Schema.Array(ChannelMembership))
      .addError(Problems.channelNotFound)
      .annotateContext(described("The members of a channel with their roles, by name, then by id"))
  )
  .add(
    HttpApiEndpoint.put("changeMember")`/api/channels/${channelId}/members/${memberId}`
      .setPayload(checkedWhole(MembershipChanges))
      .addSuccess(ChannelMembership)
      .addError(Problems.channelNotFound)
      .addError(Problems.membershipNotFound)
      .middleware(AdminOnly)
      .annotateContext(described("Sets what a member does in the channel; the prompts of agents contain it"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Channels", "Channels of the chat platform, and who is in them."))
{}
