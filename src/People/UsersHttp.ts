import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { CurrentUser } from "@troupe/api/Authentication"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { UserCursor } from "@troupe/api/UsersApi"
import { positionOf } from "@troupe/domain/User"
import { Effect, Schema } from "effect"
import { pageResponse } from "../Runtime/Page.ts"
import { allowedOn } from "./Access.ts"
import { userIdOf, Users } from "./Users.ts"

const encodeCursor = Schema.encodeSync(UserCursor)

const ownIdOf = (id: string) => Effect.zipRight(allowedOn(id), userIdOf(id))

export const UsersHttp = HttpApiBuilder.group(TroupeApi, "users", (handlers) =>
  Effect.map(Users, (users) =>
    handlers
      .handle(
        "list",
        ({ request: { url }, urlParams: query }) =>
          pageResponse({ url, query }, { read: users.list, positionOf, encode: encodeCursor })
      )
      .handle("me", () => Effect.flatMap(CurrentUser, ({ id }) => users.existing(id)))
      .handle(
        "change",
        ({ path, payload }) => Effect.flatMap(ownIdOf(path.user_id), (id) => users.change(id, payload))
      )
      .handle("clearOverrides", ({ path }) => Effect.flatMap(ownIdOf(path.user_id), users.clearOverrides))))
