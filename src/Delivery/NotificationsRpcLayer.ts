import { CurrentUser } from "@troupe/api/Authentication"
import { NotificationsRpc } from "@troupe/api/NotificationsRpc"
import { Effect } from "effect"
import { allowedOn } from "../People/Access.ts"
import { userIdOf } from "../People/Users.ts"
import { nextCursor, readPage } from "../Runtime/Page.ts"
import { Notifications } from "./Notifications.ts"
import { notificationKey } from "./NotificationsHttp.ts"

const feedOf = (given: string | undefined) =>
  Effect.tap(given === undefined ? Effect.map(CurrentUser, ({ id }) => id) : Effect.succeed(given), allowedOn)

/** The procedures of a user's feed. */
export const NotificationsRpcLayer = NotificationsRpc.toLayer(
  Effect.map(Notifications, (notifications) =>
    NotificationsRpc.of({
      notifications: ({ unread = false, user_id, ...query }) =>
        feedOf(user_id).pipe(
          Effect.flatMap(userIdOf),
          Effect.flatMap((id) =>
            readPage(query, {
              read: (piece) => notifications.list(id, { unread, ...piece }),
              positionOf: ({ id }) => id
            })
          ),
          Effect.map((page) => ({ items: page.items, next: nextCursor(page) }))
        ),
      markNotificationRead: ({ notification_id, user_id }) =>
        feedOf(user_id).pipe(
          Effect.flatMap((id) => notificationKey({ user_id: id, notification_id })),
          Effect.flatMap(([user, id]) => notifications.markRead(user, id))
        )
    }))
)
