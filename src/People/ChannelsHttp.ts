import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { UserCursor } from "@troupe/api/UsersApi"
import { Effect, identity, Schema } from "effect"
import { pageResponse } from "../Runtime/Page.ts"
import { Channels } from "./Channels.ts"
import { ChannelSync } from "./ChannelSync.ts"
import { Memberships } from "./Memberships.ts"

const encodeCursor = Schema.encodeSync(UserCursor)

export const ChannelsHttp = HttpApiBuilder.group(
  TroupeApi,
  "channels",
  (handlers) =>
    Effect.map(Effect.all([Channels, Memberships, ChannelSync]), ([channels, memberships, sync]) =>
      handlers
        .handle("list", ({ request: { url }, urlParams: query }) =>
          pageResponse({ url, query }, {
            read: channels.list,
            positionOf: ({ id }) => id,
            encode: identity
          }))
        .handle("find", ({ path }) => channels.find(path.channel_id))
        .handle("syncAll", () => sync.syncAll)
        .handle("sync", ({ path }) => sync.syncChannel(path.channel_id))
        .handle("members", ({ path, request: { url }, urlParams: query }) =>
          pageResponse({ url, query }, {
            read: (piece) => memberships.list(path.channel_id, piece),
            positionOf: ({ name, user_id }) => ({ name: name ?? user_id, id: user_id }),
            encode: encodeCursor
          }))
        .handle("changeMember", ({ path, payload }) => memberships.change(path.channel_id, path.user_id, payload)))
)
