import { HttpApiBuilder } from "@effect/platform"
import { defaultLimit } from "@troupe/api/Listing"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { UserCursor } from "@troupe/api/UsersApi"
import { UserId } from "@troupe/domain/Ids"
import { positionOf, UserNotFound } from "@troupe/domain/User"
import { Effect, Option, Schema } from "effect"
import { pageResponse } from "../Runtime/Page.ts"
import { Users } from "./Users.ts"

const knownForm = Schema.is(UserId)

/** An id of another form names no user. */
const userId = (id: string): Effect.Effect<UserId, UserNotFound> =>
  knownForm(id) ? Effect.succeed(id) : Effect.fail(new UserNotFound({ id }))

const encodeCursor = Schema.encodeSync(UserCursor)

/** The user endpoints, each one a use-case of `Users`. */
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
      .handle("change", ({ path, payload }) => Effect.flatMap(userId(path.user_id), (id) => users.change(id, payload)))
      .handle("clearOverrides", ({ path }) => Effect.flatMap(userId(path.user_id), users.clearOverrides))))
