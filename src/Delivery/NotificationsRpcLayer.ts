import { CurrentUser } from "@troupe/api/Authentication"
import { defaultLimit } from "@troupe/api/Listing"
import { NotificationsRpc } from "@troupe/api/NotificationsRpc"
import { Effect, Option } from "effect"
import { allowedOn } from "../People/Access.ts"
import { userIdOf } from "../People/Users.ts"
import { pageOf } from "../Runtime/Page.ts"
import { Notifications } from "./Notifications.ts"
import { notificationKey } from "./NotificationsHttp.ts"

const feedOf = (given: string | undefined) =>
  Effect.tap(given === undefined ? Effect.map(CurrentUser, ({ id }) => id) : Effect.succeed(given), allowedOn)

/** The procedures of a user's feed. */
export const NotificationsRpcLayer = NotificationsRpc.toLayer(
  Effect.map(Notifications, (notifications) =>
    NotificationsRpc.of({
      notifications: ({ cursor, limit = defaultLimit, unread = false, user_id }) =>
        feedOf(user_id).pipe(
          Effect.flatMap(userIdOf),
          Effect.flatMap((id) =>
            notifications.list(id, { unread, limit: limit + 1, cursor: Option.fromNullable(cursor) })
          ),
          Effect.map((entries) => pageOf(entries, limit))
        ),
      markNotificationRead: ({ notification_id, user_id }) =>
        feedOf(user_id).pipe(
          Effect.flatMap((id) => notificationKey({ user_id: id, notification_id })),
          Effect.flatMap(([user, id]) => notifications.markRead(user, id))
        )
    }))
)
