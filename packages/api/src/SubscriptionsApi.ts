import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { OutboxId } from "@troupe/domain/Outbox"
import {
  CreatedSubscription,
  maxUrlLength,
  SigningSecret,
  Subscription,
  SubscriptionDelivery,
  SubscriptionEvent,
  SubscriptionId,
  SubscriptionScope
} from "@troupe/domain/Subscription"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, person, titled, withStatus } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const subscriptionId = pathParameter("subscription_id", "Subscription id")
const deliveryId = pathParameter("delivery_id", "Delivery id")

const urlRule =
  `an http or https address of at most ${maxUrlLength} characters, without user name, password and fragment`

const isPostable = (given: string): boolean => {
  if (given.length > maxUrlLength || !URL.canParse(given)) return false
  const { hash, password, protocol, username } = new URL(given)
  return /^https?:$/.test(protocol) && username === "" && password === "" && hash === ""
}

const secretRule = "whsec_ and 24 to 64 bytes in base64"

const events = SubscriptionEvent.literals

export const SubscriptionRequest = Schema.Struct({
  url: Schema.String.pipe(
    Schema.filter(isPostable, {
      message: () => urlRule,
      jsonSchema: { format: "uri", pattern: "^https?://", maxLength: maxUrlLength }
    })
  ).annotations({ description: "Where to post the events: http or https" }),
  events: Schema.optionalWith(
    Schema.NonEmptyArray(SubscriptionEvent).pipe(
      Schema.maxItems(events.length),
      Schema.annotations({ message: () => ({ message: `some of ${events.join(", ")}`, override: true }) })
    ).annotations({ description: "Which events to post; default: all" }),
    { nullable: true, exact: true }
  ),
  secret: Schema.optionalWith(
    Schema.NullOr(SigningSecret).annotations({
      description: `Signs the requests: ${secretRule}. Default: a new one`,
      // The message must not repeat the secret.
      message: () => ({ message: secretRule, override: true })
    }),
    { default: () => null, exact: true }
  ),
  tasks: Schema.optionalWith(
    SubscriptionScope.annotations({
      description:
        "own (default): of tasks that the user created or is the assignee of. all: of every task; for admins",
      message: () => "own or all"
    }),
    { default: () => "own", nullable: true, exact: true }
  ),
  user_id: Schema.optionalWith(
    person("Whose subscription it is; default: the caller's. Only admins name others"),
    { nullable: true, exact: true }
  )
}).annotations({ identifier: "SubscriptionRequest" })
export type SubscriptionRequest = typeof SubscriptionRequest.Type

const Created = withStatus(201, CreatedSubscription)
const Queued = withStatus(202, SubscriptionDelivery)

/** Outgoing webhooks for the events of tasks. */
export class SubscriptionsApi extends HttpApiGroup.make("subscriptions")
  .add(
    HttpApiEndpoint.get("list", "/api/subscriptions")
      .setUrlParams(checkedWhole(Schema.Struct({
        user_id: Schema.optional(person("Only those of this user")),
        ...page(SubscriptionId)
      })))
      .addSuccess(Schema.Array(Subscription))
      .addError(Problems.personUnknown)
      .annotateContext(described("The caller's subscriptions, newest first; an admin's list has those of all users"))
  )
  .add(
    HttpApiEndpoint.post("create", "/api/subscriptions")
      .setPayload(checkedWhole(SubscriptionRequest))
      .addSuccess(Created)
      .addError(Problems.personUnknown)
      .addError(Problems.subscriptionInvalid)
      .addError(Problems.tooManySubscriptions)
      .addError(Problems.userNotFound)
      .annotateContext(described("Posts the events of tasks to an address. Only this response contains the secret"))
  )
  .add(
    HttpApiEndpoint.get("get")`/api/subscriptions/${subscriptionId}`
      .addSuccess(Subscription)
      .addError(Problems.subscriptionNotFound)
      .annotateContext(described("A subscription with the state of its newest event"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/api/subscriptions/${subscriptionId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.subscriptionNotFound)
      .annotateContext(described("Deletes a subscription with its deliveries, also those that wait"))
  )
  .add(
    HttpApiEndpoint.post("resume")`/api/subscriptions/${subscriptionId}/resume`
      .addSuccess(Subscription)
      .addError(Problems.subscriptionNotFound)
      .annotateContext(described("Activates a subscription that was disabled. Earlier events are not posted"))
  )
  .add(
    HttpApiEndpoint.post("test")`/api/subscriptions/${subscriptionId}/test`
      .addSuccess(Queued)
      .addError(Problems.subscriptionNotFound)
      .addError(Problems.subscriptionInactive)
      .annotateContext(described("Posts an event subscription.test"))
  )
  .add(
    HttpApiEndpoint.get("deliveries")`/api/subscriptions/${subscriptionId}/deliveries`
      .setUrlParams(checkedWhole(Schema.Struct(page(OutboxId))))
      .addSuccess(Schema.Array(SubscriptionDelivery))
      .addError(Problems.subscriptionNotFound)
      .annotateContext(described("The events that were or will be posted, newest first; for 30 days"))
  )
  .add(
    HttpApiEndpoint.post("replay")`/api/subscriptions/${subscriptionId}/deliveries/${deliveryId}/replay`
      .addSuccess(Queued)
      .addError(Problems.subscriptionNotFound)
      .addError(Problems.subscriptionInactive)
      .addError(Problems.deliveryNotFound)
      .annotateContext(described("Posts an event once more, under the same webhook-id"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Subscriptions", "Outgoing webhooks for the events of tasks."))
{}
