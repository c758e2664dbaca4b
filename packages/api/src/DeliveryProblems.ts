import { NotificationNotFound } from "@troupe/domain/Notification"
import { OutboxMessageNotFailed, OutboxMessageNotFound } from "@troupe/domain/Outbox"
import {
  DeliveryNotFound,
  SubscriptionInactive,
  SubscriptionInvalid,
  SubscriptionNotFound,
  TooManySubscriptions
} from "@troupe/domain/Subscription"
import { problem } from "./Problem.ts"

/** The domain errors of notifications, the outbox and subscriptions, each with its problem. */
export const notificationNotFound = problem(NotificationNotFound, {
  slug: "notification-not-found",
  status: 404,
  title: "No such notification"
})

export const outboxMessageNotFound = problem(OutboxMessageNotFound, {
  slug: "outbox-message-not-found",
  status: 404,
  title: "No such message"
})

export const outboxMessageNotFailed = problem(OutboxMessageNotFailed, {
  slug: "outbox-message-not-failed",
  status: 409,
  title: "The message has not failed"
})

export const subscriptionNotFound = problem(SubscriptionNotFound, {
  slug: "subscription-not-found",
  status: 404,
  title: "No such subscription"
})

export const subscriptionInvalid = problem(SubscriptionInvalid, {
  slug: "subscription-invalid",
  status: 400,
  title: "The subscription can't be made",
  errors: ({ field, reason }) => [{ path: field, message: reason }]
})

export const tooManySubscriptions = problem(TooManySubscriptions, {
  slug: "too-many-subscriptions",
  status: 409,
  title: "Too many subscriptions"
})

export const subscriptionInactive = problem(SubscriptionInactive, {
  slug: "subscription-inactive",
  status: 409,
  title: "The subscription is not active"
})

export const deliveryNotFound = problem(DeliveryNotFound, {
  slug: "delivery-not-found",
  status: 404,
  title: "No such delivery"
})
