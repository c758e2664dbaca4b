import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { defaultLimit } from "@troupe/api/Listing"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { UserCursor } from "@troupe/api/UsersApi"
import { Effect, Option, Schema } from "effect"
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
        .handle("list", ({ request, urlParams }) => {
          const limit = urlParams.limit ?? defaultLimit
          return Effect.map(
            channels.list({ limit: limit + 1, cursor: Option.fromNullable(urlParams.cursor) }),
            (page) => pageResponse(page, { limit, url: request.url, cursorOf: ({ id }) => id })
          )
        })
        .handle("find", ({ path }) => channels.find(path.channel_id))
        .handle("syncAll", () => sync.syncAll)
        .handle("sync", ({ path }) => sync.syncChannel(path.channel_id))
        .handle("members", ({ path, request, urlParams }) => {
          const limit = urlParams.limit ?? defaultLimit
          return Effect.map(
            memberships.list(path.channel_id, { limit: limit + 1, cursor: Option.fromNullable(urlParams.cursor) }),
            (page) =>
              pageResponse(page, {
                limit,
                url: request.url,
                cursorOf: ({ name, user_id }) => encodeCursor({ name: name ?? user_id, id: user_id })
              })
          )
        })
        .handle("changeMember", ({ path, payload }) => memberships.change(path.channel_id, path.user_id, payload)))
)
