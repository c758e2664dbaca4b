import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { CurrentUser } from "@troupe/api/Authentication"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { WebhookTypes } from "./WebhookTypes.ts"

export const WebhookTypesHttp = HttpApiBuilder.group(
  TroupeApi,
  "webhookTypes",
  (handlers) =>
    Effect.map(WebhookTypes, ({ configure, find, list, remove }) =>
      handlers
        .handle("list", () => list)
        .handle("find", ({ path }) => find(path.webhook_type))
        .handle(
          "configure",
          ({ path, payload }) => Effect.flatMap(CurrentUser, ({ id }) => configure(path.webhook_type, payload, id))
        )
        .handle("remove", ({ path }) => Effect.flatMap(CurrentUser, ({ id }) => remove(path.webhook_type, id))))
)
