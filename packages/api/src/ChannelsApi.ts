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

export const TeamChatHealth = Schema.Struct({
  status: Schema.Literal("ok", "not_configured", "unreachable", "unauthorized").annotations({
    description: "State of the connection to the chat platform"
  }),
  team: Schema.NullOr(Schema.String).annotations({ description: "Name of the workspace" }),
  bot_user_id: Schema.NullOr(Schema.String).annotations({ description: "The chat platform's id of the bot" }),
  latency_ms: Schema.Number.annotations({ description: "Duration of the check in milliseconds" }),
  detail: Schema.String.annotations({ description: "What was found, or what to set to fix it" })
}).annotations({ identifier: "TeamChatHealth" })
export type TeamChatHealth = typeof TeamChatHealth.Type

/** The connection to the chat platform. */
export class TeamChatApi extends HttpApiGroup.make("teamChat")
  .add(
    HttpApiEndpoint.get("health", "/team-chat/health")
      .addSuccess(TeamChatHealth)
      .middleware(Authentication)
      .annotateContext(described("Tests the connection to the chat platform by a call; always 200"))
  )
  .annotateContext(titled("Team chat", "The connection to the chat platform."))
{}
