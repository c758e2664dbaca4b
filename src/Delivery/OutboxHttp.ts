import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { defaultLimit } from "@troupe/api/Listing"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect, Option } from "effect"
import { pageResponse } from "../Runtime/Page.ts"
import { OutboxOperations } from "./OutboxOperations.ts"

export const OutboxHttp = HttpApiBuilder.group(
  TroupeApi,
  "outbox",
  (handlers) =>
    Effect.map(OutboxOperations, (outbox) =>
      handlers
        .handle("list", ({ request, urlParams }) => {
          const limit = urlParams.limit ?? defaultLimit
          const filter = {
            state: Option.fromNullable(urlParams.state),
            channel: Option.fromNullable(urlParams.channel),
            cursor: Option.fromNullable(urlParams.cursor),
            limit: limit + 1
          }
          return Effect.map(
            outbox.list(filter),
            (page) => pageResponse(page, { limit, url: request.url, cursorOf: ({ id }) => id })
          )
        })
        .handle("retry", ({ path }) => outbox.retry(path.outbox_id)))
)
