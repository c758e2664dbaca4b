import { ScheduleEnded, ScheduleInvalid, ScheduleNotFound, TooManySchedules } from "@troupe/domain/Schedule"
import { ChatRequestInvalid, SignatureInvalid } from "@troupe/domain/TeamChat"
import { WebhookDeliveryEmptied, WebhookDeliveryNotFound, WebhookUnverified } from "@troupe/domain/Webhook"
import { problem } from "./Problem.ts"

/** The domain errors of the team chat, schedules and webhooks, each with its problem. */
export const signatureInvalid = problem(SignatureInvalid, {
  slug: "invalid-signature",
  status: 401,
  title: "The signature is not valid"
})

export const chatRequestInvalid = problem(ChatRequestInvalid, {
  slug: "chat-request-invalid",
  status: 400,
  title: "The request of the chat platform is not valid",
  errors: ({ reason }) => [{ path: "", message: reason }]
})

export const scheduleNotFound = problem(ScheduleNotFound, {
  slug: "schedule-not-found",
  status: 404,
  title: "No such schedule"
})

export const scheduleInvalid = problem(ScheduleInvalid, {
  slug: "schedule-invalid",
  status: 400,
  title: "The schedule is not valid",
  errors: ({ path, reason }) => [{ path, message: reason }]
})

export const scheduleEnded = problem(ScheduleEnded, {
  slug: "schedule-ended",
  status: 409,
  title: "The schedule has no further run"
})

export const tooManySchedules = problem(TooManySchedules, {
  slug: "schedule-limit",
  status: 409,
  title: "Too many schedules"
})

export const webhookUnverified = problem(WebhookUnverified, {
  slug: "webhook-unverified",
  status: 401,
  title: "The webhook is not signed with its type's secret"
})

export const webhookDeliveryNotFound = problem(WebhookDeliveryNotFound, {
  slug: "webhook-delivery-not-found",
  status: 404,
  title: "No such delivery"
})

export const webhookDeliveryEmptied = problem(WebhookDeliveryEmptied, {
  slug: "webhook-delivery-emptied",
  status: 409,
  title: "The body was deleted"
})
