import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { CurrentUser } from "@troupe/api/Authentication"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { idempotencyOf } from "../Tasks.ts"
import { BulkOperations } from "./BulkOperations.ts"

export const BulkOperationsHttp = HttpApiBuilder.group(
  TroupeApi,
  "taskBulk",
  (handlers) =>
    Effect.map(BulkOperations, (operations) =>
      handlers
        .handle("start", ({ headers, payload }) =>
          Effect.flatMap(
            CurrentUser,
            (caller) => operations.start(payload, idempotencyOf(caller, headers["idempotency-key"], payload))
          ))
        .handle("find", ({ path }) => operations.find(path.bulk_id)))
)
