import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { UserId } from "@troupe/domain/Ids"
import { NotificationId, NotificationNotFound } from "@troupe/domain/Notification"
import { Effect, identity, Schema } from "effect"
import { allowedOn } from "../People/Access.ts"
import { userIdOf } from "../People/Users.ts"
import { pageResponse } from "../Runtime/Page.ts"
import { Notifications } from "./Notifications.ts"

const isUserId = Schema.is(UserId)
const isNotificationId = Schema.is(NotificationId)

/** Ids of another form name no notification. */
export const notificationKey = (path: { readonly user_id: string; readonly notification_id: string }) =>
  Effect.zipRight(
    allowedOn(path.user_id),
    isUserId(path.user_id) && isNotificationId(path.notification_id)
      ? Effect.succeed([path.user_id, path.notification_id] as const)
      : Effect.fail(new NotificationNotFound({ user_id: path.user_id, id: path.notification_id }))
  )

export const NotificationsHttp = HttpApiBuilder.group(
  TroupeApi,
  "notifications",
  (handlers) =>
    Effect.map(Notifications, (notifications) =>
      handlers
        .handle("list", ({ path, request: { url }, urlParams: query }) =>
          allowedOn(path.user_id).pipe(
            Effect.zipRight(userIdOf(path.user_id)),
            Effect.flatMap((id) =>
              pageResponse({ url, query }, {
                read: (piece) => notifications.list(id, { unread: query.unread ?? false, ...piece }),
                positionOf: ({ id }) => id,
                encode: identity
              })
            )
          ))
        .handle(
          "markRead",
          ({ path }) => Effect.flatMap(notificationKey(path), ([user, id]) => notifications.markRead(user, id))
        )
        .handle(
          "remove",
          ({ path }) => Effect.flatMap(notificationKey(path), ([user, id]) => notifications.remove(user, id))
        ))
)
