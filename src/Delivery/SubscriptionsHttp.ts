import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect, identity, Option } from "effect"
import { pageResponse } from "../Runtime/Page.ts"
import { Subscriptions } from "./Subscriptions.ts"

export const SubscriptionsHttp = HttpApiBuilder.group(
  TroupeApi,
  "subscriptions",
  (handlers) =>
    Effect.map(Subscriptions, (subscriptions) =>
      handlers
        .handle("list", ({ request: { url }, urlParams: query }) =>
          pageResponse({ url, query }, {
            read: (piece) => subscriptions.list(Option.fromNullable(query.user_id), piece),
            positionOf: ({ id }) => id,
            encode: identity
          }))
        .handle("create", ({ payload }) =>
          Effect.map(subscriptions.create(payload), (created) =>
            HttpServerResponse.unsafeJson(created, {
              status: 201,
              headers: { location: `/api/subscriptions/${created.id}` }
            })))
        .handle("get", ({ path }) => subscriptions.get(path.subscription_id))
        .handle("remove", ({ path }) =>
          subscriptions.remove(path.subscription_id))
        .handle("resume", ({ path }) => subscriptions.resume(path.subscription_id))
        .handle("test", ({ path }) => subscriptions.test(path.subscription_id))
        .handle("deliveries", ({ path, request: { url }, urlParams: query }) =>
          pageResponse({ url, query }, {
            read: (piece) => subscriptions.deliveries(path.subscription_id, piece),
            positionOf: ({ id }) => id,
            encode: identity
          }))
        .handle("replay", ({ path }) => subscriptions.replay(path.subscription_id, path.delivery_id)))
)
