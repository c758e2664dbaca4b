import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { defaultLimit } from "@troupe/api/Listing"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect, Option } from "effect"
import { pageResponse } from "../Runtime/Page.ts"
import { Subscriptions } from "./Subscriptions.ts"

/** One entry more than the page has, to know whether there is a next one. */
const pageOf = <Id>(query: { readonly limit?: number | undefined; readonly cursor?: Id | undefined }) => {
  const limit = query.limit ?? defaultLimit
  return { limit, page: { limit: limit + 1, cursor: Option.fromNullable(query.cursor) } }
}

export const SubscriptionsHttp = HttpApiBuilder.group(
  TroupeApi,
  "subscriptions",
  (handlers) =>
    Effect.map(Subscriptions, (subscriptions) =>
      handlers
        .handle("list", ({ request, urlParams }) => {
          const { limit, page } = pageOf(urlParams)
          return Effect.map(
            subscriptions.list(Option.fromNullable(urlParams.user_id), page),
            (entries) => pageResponse(entries, { limit, url: request.url, cursorOf: ({ id }) => id })
          )
        })
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
        .handle("deliveries", ({ path, request, urlParams }) => {
          const { limit, page } = pageOf(urlParams)
          return Effect.map(
            subscriptions.deliveries(path.subscription_id, page),
            (entries) => pageResponse(entries, { limit, url: request.url, cursorOf: ({ id }) => id })
          )
        })
        .handle("replay", ({ path }) => subscriptions.replay(path.subscription_id, path.delivery_id)))
)
