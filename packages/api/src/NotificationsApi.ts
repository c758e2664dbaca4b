import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Notification, NotificationId } from "@troupe/domain/Notification"
import { Schema } from "effect"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const described = (description: string) => OpenApi.annotations({ description })

/** Any string: an id of another form is as unknown as one that never was, and answers 404, not 400. */
const userId = HttpApiSchema.param("user_id", Schema.String.annotations({ description: "User id" }))
const notificationId = HttpApiSchema.param(
  "notification_id",
  Schema.String.annotations({ description: "Notification id" })
)

/** The feed: what a user is told of. */
export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list")`/users/${userId}/notifications`
      .setUrlParams(Schema.Struct({
        unread: Schema.optional(
          Schema.BooleanFromString.annotations({
            description: "Only those not read yet",
            message: () => "true or false"
          })
        ),
        ...page(NotificationId)
      }))
      .addSuccess(Schema.Array(Notification))
      .addError(Problems.userNotFound)
      .annotateContext(described("The user's feed, newest first"))
  )
  .add(
    HttpApiEndpoint.post("markRead")`/users/${userId}/notifications/${notificationId}/mark_read`
      .addSuccess(Notification)
      .addError(Problems.notificationNotFound)
      .annotateContext(described("Marks a notification as read; again, it stays as it is"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/users/${userId}/notifications/${notificationId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.notificationNotFound)
      .annotateContext(described("Removes a notification from the feed"))
  )
  .annotateContext(OpenApi.annotations({ title: "Notifications" }))
{}
