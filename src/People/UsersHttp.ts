import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { CurrentUser } from "@troupe/api/Authentication"
import { defaultLimit } from "@troupe/api/Listing"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { UserCursor } from "@troupe/api/UsersApi"
import { positionOf } from "@troupe/domain/User"
import { Effect, Option, Schema } from "effect"
import { pageResponse } from "../Runtime/Page.ts"
import { allowedOn } from "./Access.ts"
import { userIdOf, Users } from "./Users.ts"

const encodeCursor = Schema.encodeSync(UserCursor)

const ownIdOf = (id: string) => Effect.zipRight(allowedOn(id), userIdOf(id))

export const UsersHttp = HttpApiBuilder.group(TroupeApi, "users", (handlers) =>
  Effect.map(Users, (users) =>
    handlers
      .handle("list", ({ request, urlParams }) => {
        const limit = urlParams.limit ?? defaultLimit
        return Effect.map(
          users.list({ limit: limit + 1, cursor: Option.fromNullable(urlParams.cursor) }),
          (page) => pageResponse(page, { limit, url: request.url, cursorOf: (last) => encodeCursor(positionOf(last)) })
        )
      })
      .handle("me", () => Effect.flatMap(CurrentUser, ({ id }) => users.existing(id)))
      .handle(
        "change",
        ({ path, payload }) => Effect.flatMap(ownIdOf(path.user_id), (id) => users.change(id, payload))
      )
      .handle("clearOverrides", ({ path }) => Effect.flatMap(ownIdOf(path.user_id), users.clearOverrides))))
