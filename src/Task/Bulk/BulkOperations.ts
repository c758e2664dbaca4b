import { SqlClient } from "@effect/sql/SqlClient"
import { CurrentUser } from "@troupe/api/Authentication"
import type { BulkRequest } from "@troupe/api/TaskBulkApi"
import { BulkFilter } from "@troupe/api/TaskFilter"
import { BulkId, BulkOperation, BulkOperationNotFound } from "@troupe/domain/BulkOperation"
import { IdempotencyConflict } from "@troupe/domain/Task"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { v7 } from "uuid"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { idAt } from "../Read/TaskConditions.ts"
import type { IdempotencyKey } from "../UseCase/Tasks.ts"

/** Changes of all tasks that match a filter, asked for here; `BulkJob` makes them. */
export class BulkOperations extends Context.Tag("troupe/Task/Bulk/BulkOperations")<BulkOperations, {
  /** Committed when it succeeds. With the same key and digest, a later call gets the same operation. */
  readonly start: (
    request: BulkRequest,
    idempotency: IdempotencyKey | undefined
  ) => Effect.Effect<BulkOperation, IdempotencyConflict, CurrentUser>
  readonly find: (id: string) => Effect.Effect<BulkOperation, BulkOperationNotFound>
}>() {
  static readonly layer: Layer.Layer<BulkOperations, never, Signals | SqlClient> = Layer.effect(
    this,
    Effect.map(Effect.all([SqlClient, Signals]), ([sql, { origin, send }]) => {
      const shown = sql.literal(
        `id::text, action, matched, done, failed, error, ${timestamp("created_at", "created_at")}, ${
          timestamp("finished_at", "finished_at")
        }`
      )
      const announce = Effect.zipRight(
        origin === null ? Effect.void : Effect.orDie(sql`select pg_notify('troupe_bulk', ${origin})`),
        Effect.sync(() => send("troupe_bulk"))
      )
      return BulkOperations.of({
        start: Effect.fn("BulkOperations.start")(function*({ action, filter, reason }, idempotency) {
          const caller = yield* CurrentUser
          const key = idempotency?.key ?? null
          const id = v7()
          // The first slice begins before it, so that tasks which are made later are left alone. Of tasks of the same millisecond, the ids
          // do not say which is earlier: they are all included.
          const cursor = idAt(DateTime.formatIso(DateTime.add(yield* DateTime.now, { millis: 1 })))
          const digest = idempotency?.digest ?? ""
          const [made] = yield* operations(sql`
insert into bulk_operations (id, creator, role, action, filter, reason, idempotency_key, digest, cursor)
values (${id}, ${caller.id}, ${caller.role}, ${action}, ${storable(filterText(filter))},
  ${reason === undefined ? null : storable(reason)}, ${key}, ${digest}, ${cursor})
on conflict (creator, idempotency_key) do nothing returning ${shown}`)
          if (made !== undefined) return yield* Effect.as(announce, made)
          const [known] = yield* operations(sql`select ${shown} from bulk_operations
where creator = ${caller.id} and idempotency_key = ${key} and digest = ${digest}`)
          return known ?? (yield* new IdempotencyConflict({ key: key ?? "", because: "other body" }))
        }),
        find: (id) =>
          Effect.flatMap(
            isId(id) ? operations(sql`select ${shown} from bulk_operations where id = ${id}`) : Effect.succeed([]),
            ([found]) => found === undefined ? new BulkOperationNotFound({ id }) : Effect.succeed(found)
          )
      })
    })
  )
}

const isId = Schema.is(BulkId)
const operations = rowsOf(BulkOperation)
const filterText = Schema.encodeSync(Schema.parseJson(BulkFilter))
