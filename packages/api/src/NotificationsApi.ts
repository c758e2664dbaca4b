import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Notification, NotificationId } from "@troupe/domain/Notification"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, flag, pathParameter, titled, userId } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const notificationId = pathParameter("notification_id", "Notification id")

export const NotificationQuery = Schema.Struct({
  unread: flag("Only unread ones"),
  ...page(NotificationId)
})

/** The notifications of a user. */
export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list")`/users/${userId}/notifications`
      .setUrlParams(checkedWhole(NotificationQuery))
      .addSuccess(Schema.Array(Notification))
      .addError(Problems.userNotFound)
      .annotateContext(described("The user's feed, newest first"))
  )
  .add(
    HttpApiEndpoint.post("markRead")`/users/${userId}/notifications/${notificationId}/mark_read`
      .addSuccess(Notification)
      .addError(Problems.notificationNotFound)
      .annotateContext(described("Marks a notification as read; a second call changes nothing"))
  )
  .add(
    HttpApiEndpoint.post("markUnread")`/users/${userId}/notifications/${notificationId}/mark_unread`
      .addSuccess(Notification)
      .addError(Problems.notificationNotFound)
      .annotateContext(described("Marks a notification as unread again; a second call changes nothing"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/users/${userId}/notifications/${notificationId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.notificationNotFound)
      .annotateContext(described("Deletes a notification from the feed"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Notifications", "Questions, results and failures, for each user."))
{}
