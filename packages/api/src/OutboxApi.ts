import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { deliveryChannels } from "@troupe/domain/DeliveryWay"
import { DeliveryChannel, OutboxId, OutboxMessage, OutboxState } from "@troupe/domain/Outbox"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, titled } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const outboxId = pathParameter("outbox_id", "Id of the message")

export const OutboxQuery = Schema.Struct({
  state: Schema.optional(
    OutboxState.annotations({
      description: "Only those in this state",
      message: () => "pending, sending, sent or failed"
    })
  ),
  channel: Schema.optional(
    DeliveryChannel.annotations({
      description: "Only those of this channel",
      message: () => deliveryChannels.join(", ").replace(/, (?=\w+$)/, " or ")
    })
  ),
  ...page(OutboxId)
})

/** Outgoing messages: chat, mails, webhooks. */
export class OutboxApi extends HttpApiGroup.make("outbox")
  .add(
    HttpApiEndpoint.get("list", "/api/outbox")
      .setUrlParams(checkedWhole(OutboxQuery))
      .addSuccess(Schema.Array(OutboxMessage))
      .addError(Problems.searchUnfinished)
      .annotateContext(described("Messages of the last 30 days with the state of their delivery, newest first"))
  )
  .add(
    HttpApiEndpoint.post("retry")`/api/outbox/${outboxId}/retry`
      .addSuccess(OutboxMessage)
      .addError(Problems.outboxMessageNotFound)
      .addError(Problems.outboxMessageNotFailed)
      .annotateContext(described("Sends a failed message again; one that may have arrived may arrive twice"))
  )
  .middlewareEndpoints(AdminOnly)
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Outbox", "Outgoing messages: chat, mails, webhooks."))
{}
