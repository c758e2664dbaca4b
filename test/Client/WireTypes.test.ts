import { assert, it } from "@effect/vitest"
import type * as Webhooks from "@troupe/api/SubscriptionsApi"
import type * as Event from "@troupe/api/TaskEvent"
import type * as Api from "@troupe/api/TasksApi"
import type * as Client from "@troupe/client"
import type * as Feed from "@troupe/domain/Notification"
import type * as Subscriptions from "@troupe/domain/Subscription"
import type * as Domain from "@troupe/domain/Task"
import type * as People from "@troupe/domain/User"
import type * as Files from "@troupe/domain/UserFile"

/** True where each type can stand for the other. A type error below names what to change in WireTypes.ts. */
type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : false : false

it("The plain types of the client are those of the schemas", () => {
  const same: {
    readonly task: Same<Client.Task, typeof Domain.Task.Encoded>
    readonly fields: Same<keyof Client.Task, keyof typeof Domain.Task.Encoded>
    readonly newTask: Same<Client.NewTask, typeof Api.ChatRequest.Encoded>
    readonly newTaskFields: Same<keyof Client.NewTask, keyof typeof Api.ChatRequest.Encoded>
    readonly query: Same<keyof Client.TaskQuery, keyof typeof Api.TaskQuery.Encoded>
    readonly event: Same<Client.TaskEvent, typeof Event.TaskEvent.Encoded>
    readonly anyEvent: Same<Client.AnyTaskEvent, typeof Event.AnyTaskEvent.Encoded>
    readonly file: Same<Client.UserFile, typeof Files.UserFile.Encoded>
    readonly uploaded: Same<Client.UploadedFile, typeof Files.UploadedFile.Encoded>
    readonly user: Same<Client.User, typeof People.User.Encoded>
    readonly subscription: Same<Client.CreatedSubscription, typeof Subscriptions.CreatedSubscription.Encoded>
    readonly listed: Same<Client.Subscription, typeof Subscriptions.Subscription.Encoded>
    readonly newSubscription: Same<Client.NewSubscription, typeof Webhooks.SubscriptionRequest.Encoded>
    readonly newSubscriptionFields: Same<
      keyof Client.NewSubscription,
      keyof typeof Webhooks.SubscriptionRequest.Encoded
    >
    readonly notification: Same<Client.Notification, typeof Feed.Notification.Encoded>
  } = {
    task: true,
    fields: true,
    newTask: true,
    newTaskFields: true,
    query: true,
    event: true,
    anyEvent: true,
    user: true,
    subscription: true,
    listed: true,
    newSubscription: true,
    newSubscriptionFields: true,
    notification: true,
    file: true,
    uploaded: true
  }
  assert.isTrue(Object.values(same).every((is) => is))
})
