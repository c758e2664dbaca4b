import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { WebhookTypeChange, WebhookTypeView } from "@troupe/domain/Webhook"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"
import { webhookType } from "./WebhooksApi.ts"

/** What is set for types of webhooks. */
export class WebhookTypesApi extends HttpApiGroup.make("webhookTypes")
  .add(
    HttpApiEndpoint.get("list", "/api/webhook-types")
      .addSuccess(Schema.Array(WebhookTypeView))
      .annotateContext(described("The types that are configured, and those of which something was delivered, by name"))
  )
  .add(
    HttpApiEndpoint.get("find")`/api/webhook-types/${webhookType}`
      .addSuccess(WebhookTypeView)
      .addError(Problems.webhookTypeNotFound)
      .annotateContext(described("A type of webhooks; of its secret, whether there is one"))
  )
  .add(
    HttpApiEndpoint.put("configure")`/api/webhook-types/${webhookType}`
      .setPayload(checkedWhole(WebhookTypeChange))
      .addSuccess(WebhookTypeView)
      .addError(Problems.settingsRefused)
      .addError(Problems.secretsUnsealed)
      .annotateContext(described(
        "Configures a type, within 10 seconds in every process. What is left out stays as it is. With a secret, deliveries "
          + "with a valid signature are accepted at POST /webhook/{type} without a token, in hosted mode too"
      ))
  )
  .add(
    HttpApiEndpoint.del("remove")`/api/webhook-types/${webhookType}`
      .addError(Problems.webhookTypeNotFound)
      .addError(Problems.settingsRefused)
      .annotateContext(
        described("Removes what is stored for a type; deliveries stay. 400 where the environment or .env sets it")
      )
  )
  .middlewareEndpoints(AdminOnly)
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Webhook types", "Secrets, signatures and trust of webhooks by type."))
{}
