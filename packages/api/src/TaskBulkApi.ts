import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { BulkAction, BulkOperation } from "@troupe/domain/BulkOperation"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, titled, withStatus } from "./Fields.ts"
import * as Problems from "./Problems.ts"
import { BulkFilter } from "./TaskFilter.ts"
import { CancelRequest, idempotencyKey } from "./TaskRequests.ts"

export const BulkRequest = Schema.Struct({
  action: BulkAction.annotations({
    description: "What to do to each task; restore and delete are for archived ones, delete for good"
  }),
  filter: BulkFilter.annotations({
    description: "Which tasks; without a field, all that are not archived, or all that are"
  }),
  reason: CancelRequest.fields.reason
}).annotations({ identifier: "BulkRequest" })
export type BulkRequest = typeof BulkRequest.Type

/** Changing every task that matches a filter. */
export class TaskBulkApi extends HttpApiGroup.make("taskBulk")
  .add(
    HttpApiEndpoint.post("start", "/tasks/bulk")
      .setHeaders(Schema.Struct({ "idempotency-key": Schema.optional(idempotencyKey) }))
      .setPayload(checkedWhole(BulkRequest))
      .addSuccess(withStatus(202, BulkOperation))
      .addError(Problems.idempotencyConflict)
      .addError(Problems.personUnknown)
      .annotateContext(described(
        "Cancels, retries or archives all tasks that match a filter, or restores or deletes all archived ones, as the caller: "
          + "newest first, in the background, once for "
          + "each task, also through a crash. Tasks that are made later are left alone"
      ))
  )
  .add(
    HttpApiEndpoint.get("find")`/tasks/bulk/${pathParameter("bulk_id", "Id of the operation")}`
      .addSuccess(BulkOperation)
      .addError(Problems.bulkOperationNotFound)
      .annotateContext(described("How far an operation is. For the one who asked for it, the owner and admins"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Tasks in bulk", "Changing every task that matches a filter."))
{}
