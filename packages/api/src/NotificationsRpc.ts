import * as Rpc from "@effect/rpc/Rpc"
import * as RpcGroup from "@effect/rpc/RpcGroup"
import { NotAllowed } from "@troupe/domain/Caller"
import { Notification, NotificationNotFound } from "@troupe/domain/Notification"
import { UserNotFound } from "@troupe/domain/User"
import { Schema } from "effect"
import { pageOf } from "./Listing.ts"
import { NotificationQuery } from "./NotificationsApi.ts"
import { RpcGate } from "./RpcGate.ts"

const user_id = Schema.optional(Schema.String.annotations({ description: "User id; default: the caller" }))

/** The feed of a user as remote procedures, with the schemas of `NotificationsApi`. */
export class NotificationsRpc extends RpcGroup.make(
  Rpc.make("notifications", {
    payload: Schema.extend(Schema.Struct({ user_id }), Schema.typeSchema(NotificationQuery)),
    success: pageOf(Notification),
    error: Schema.Union(NotAllowed, UserNotFound)
  }),
  Rpc.make("markNotificationRead", {
    payload: { user_id, notification_id: Schema.String.annotations({ description: "Notification id" }) },
    success: Notification,
    error: Schema.Union(NotAllowed, NotificationNotFound)
  })
).middleware(RpcGate) {}
