import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { NotificationsRpc } from "@troupe/api/TroupeRpcs"
import { isUserId } from "@troupe/domain/Ids"
import { NotificationId, NotificationNotFound } from "@troupe/domain/Notification"
import { Effect, Option, Schema } from "effect"
import { actingFor, allowedOn, ownIdOf } from "../People/User/Access.ts"
import { Users } from "../People/User/Users.ts"
import { nextCursor, pageById, readPage } from "../Runtime/Database/Page.ts"
import { Notifications } from "./Notifications.ts"
import { OutboxOperations } from "./OutboxOperations.ts"
import { Subscriptions } from "./Subscriptions.ts"

const isNotificationId = Schema.is(NotificationId)

/** Ids of another form name no notification. */
const notificationKey = (path: { readonly user_id: string; readonly notification_id: string }) =>
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
        .handle("list", (request) =>
          Effect.flatMap(ownIdOf(request.path.user_id), (id) =>
            pageById(
              request,
              (piece) => notifications.list(id, { unread: request.urlParams.unread ?? false, ...piece })
            )))
        .handle(
          "markRead",
          ({ path }) => Effect.flatMap(notificationKey(path), ([user, id]) => notifications.markRead(user, id))
        )
        .handle(
          "markUnread",
          ({ path }) => Effect.flatMap(notificationKey(path), ([user, id]) => notifications.markUnread(user, id))
        )
        .handle(
          "remove",
          ({ path }) => Effect.flatMap(notificationKey(path), ([user, id]) => notifications.remove(user, id))
        ))
)

/** The procedures of a user's feed. */
export const NotificationsRpcLayer = NotificationsRpc.toLayer(
  Effect.map(Effect.all([Notifications, Users]), ([notifications, users]) =>
    NotificationsRpc.of({
      notifications: ({ unread = false, user_id, ...query }) =>
        actingFor(users, user_id).pipe(
          Effect.flatMap((id) =>
            readPage(query, {
              read: (piece) => notifications.list(id, { unread, ...piece }),
              positionOf: ({ id }) => id
            })
          ),
          Effect.map((page) => ({ items: page.items, next: nextCursor(page) }))
        ),
      markNotificationRead: ({ notification_id, user_id }) =>
        actingFor(users, user_id).pipe(
          Effect.flatMap((id) => notificationKey({ user_id: id, notification_id })),
          Effect.flatMap(([user, id]) => notifications.markRead(user, id))
        )
    }))
)

export const OutboxHttp = HttpApiBuilder.group(
  TroupeApi,
  "outbox",
  (handlers) =>
    Effect.map(OutboxOperations, (outbox) =>
      handlers
        .handle("list", (request) =>
          pageById(request, (piece) =>
            outbox.list({
              state: Option.fromNullable(request.urlParams.state),
              channel: Option.fromNullable(request.urlParams.channel),
              ...piece
            })))
        .handle("retry", ({ path }) => outbox.retry(path.outbox_id)))
)

export const SubscriptionsHttp = HttpApiBuilder.group(
  TroupeApi,
  "subscriptions",
  (handlers) =>
    Effect.map(Subscriptions, (subscriptions) =>
      handlers
        .handle("list", (request) =>
          pageById(request, (piece) => subscriptions.list(Option.fromNullable(request.urlParams.user_id), piece)))
        .handle("create", ({ payload }) =>
          Effect.map(subscriptions.create(payload), (created) =>
            HttpServerResponse.unsafeJson(created, {
              status: 201,
              headers: { location: `/api/subscriptions/${created.id}` }
            })))
        .handle("get", ({ path }) =>
          subscriptions.get(path.subscription_id))
        .handle("remove", ({ path }) =>
          subscriptions.remove(path.subscription_id))
        .handle("resume", ({ path }) =>
          subscriptions.resume(path.subscription_id))
        .handle("test", ({ path }) =>
          subscriptions.test(path.subscription_id))
        .handle("deliveries", (request) =>
          pageById(request, (piece) =>
            subscriptions.deliveries(request.path.subscription_id, piece)))
        .handle("replay", ({ path }) =>
          subscriptions.replay(path.subscription_id, path.delivery_id)))
)
