import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect, identity, Option } from "effect"
import { pageResponse } from "../Runtime/Page.ts"
import { OutboxOperations } from "./OutboxOperations.ts"

export const OutboxHttp = HttpApiBuilder.group(
  TroupeApi,
  "outbox",
  (handlers) =>
    Effect.map(OutboxOperations, (outbox) =>
      handlers
        .handle("list", ({ request: { url }, urlParams: query }) =>
          pageResponse({ url, query }, {
            read: (piece) =>
              outbox.list({
                state: Option.fromNullable(query.state),
                channel: Option.fromNullable(query.channel),
                ...piece
              }),
            positionOf: ({ id }) => id,
            encode: identity
          }))
        .handle("retry", ({ path }) => outbox.retry(path.outbox_id)))
)
