import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Notification, NotificationId } from "@troupe/domain/Notification"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import * as DeliveryProblems from "./DeliveryProblems.ts"
import { page } from "./Listing.ts"
import * as PeopleProblems from "./PeopleProblems.ts"

const described = (description: string) => OpenApi.annotations({ description })

/** Any string: an id of another form gets 404 like an unknown id, not 400. */
const userId = HttpApiSchema.param("user_id", Schema.String.annotations({ description: "User id" }))
const notificationId = HttpApiSchema.param(
  "notification_id",
  Schema.String.annotations({ description: "Notification id" })
)

export const NotificationQuery = Schema.Struct({
  unread: Schema.optional(
    Schema.BooleanFromString.annotations({ description: "Only unread ones", message: () => "true or false" })
  ),
  ...page(NotificationId)
})

/** The notifications of a user. */
export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list")`/users/${userId}/notifications`
      .setUrlParams(NotificationQuery)
      .addSuccess(Schema.Array(Notification))
      .addError(PeopleProblems.userNotFound)
      .annotateContext(described("The user's feed, newest first"))
  )
  .add(
    HttpApiEndpoint.post("markRead")`/users/${userId}/notifications/${notificationId}/mark_read`
      .addSuccess(Notification)
      .addError(DeliveryProblems.notificationNotFound)
      .annotateContext(described("Marks a notification as read; a second call changes nothing"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/users/${userId}/notifications/${notificationId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(DeliveryProblems.notificationNotFound)
      .annotateContext(described("Deletes a notification from the feed"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(OpenApi.annotations({ title: "Notifications" }))
{}
