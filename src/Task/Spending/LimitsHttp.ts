import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { Limits } from "./Limits.ts"

export const LimitsHttp = HttpApiBuilder.group(
  TroupeApi,
  "limits",
  (handlers) =>
    Effect.map(Limits, (limits) =>
      handlers
        .handle("find", () => limits.find)
        .handle("update", ({ payload }) => limits.change(payload)))
)
