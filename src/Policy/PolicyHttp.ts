import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { pageResponse } from "../Runtime/Database/Page.ts"
import { PolicyChanges } from "./PolicyChanges.ts"

export const PolicyHttp = HttpApiBuilder.group(
  TroupeApi,
  "policy",
  (handlers) =>
    Effect.map(PolicyChanges, (policy) =>
      handlers
        .handle("find", () => policy.find)
        .handle("update", ({ payload }) => policy.change(payload))
        .handle("tools", () => policy.tools)
        .handle("revisions", ({ request: { url }, urlParams: query }) =>
          pageResponse({ url, query }, {
            read: policy.revisions,
            positionOf: ({ revision }) => revision,
            encode: String
          }))
        .handle("test", ({ payload }) => policy.test(payload)))
)
