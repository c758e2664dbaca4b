import { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { asService } from "../Runtime/Isolation.ts"
import type { DiskUsage } from "./DiskUsage.ts"
import { SandboxRefused } from "./SandboxRefused.ts"

interface Counted<A> {
  readonly result: A
  readonly usage: DiskUsage
  /** Whether the usage comes from the disk, not from what was known before. */
  readonly isMeasured: boolean
}

export interface Sharing {
  /**
   * Runs `use` for one process at a time for each user. It gets what the processes have counted, if the files were
   * measured in the last minute; what it has counted itself is kept for the next one if it succeeds.
   */
  readonly exclusively: <A>(
    userId: UserId,
    use: (known: Option.Option<DiskUsage>) => Effect.Effect<Counted<A>, SandboxRefused>
  ) => Effect.Effect<A, SandboxRefused>
  readonly forget: (userId: UserId) => Effect.Effect<void>
}

/** How the processes with the same storage count what users' files take. Null: this process is the only one. */
export class SharedUsage extends Context.Reference<SharedUsage>()("troupe/File/SharedUsage", {
  defaultValue: (): Sharing | null => null
}) {
  static readonly layer: Layer.Layer<SharedUsage, never, SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient, (sql): Sharing => ({
      exclusively: (userId, use) =>
        Effect.gen(function*() {
          const [row] = yield* Effect.flatMap(
            sql`
insert into file_usage (user_id, bytes, files, measured_at) values (${userId}, 0, 0, '-infinity')
on conflict (user_id) do update set user_id = excluded.user_id
returning bytes, files, measured_at > clock_timestamp() - interval '1 minute' as "isFresh"`,
            decodeRows
          )
          const { isMeasured, result, usage } = yield* use(row?.isFresh === true ? Option.some(row) : Option.none())
          yield* sql`
update file_usage set bytes = ${usage.bytes}, files = ${usage.files},
  measured_at = case when ${isMeasured} then clock_timestamp() else measured_at end
where user_id = ${userId}`
          return result
        }).pipe(
          sql.withTransaction,
          asService,
          Effect.catchTags({
            ParseError: Effect.die,
            SqlError: (error) =>
              Effect.zipRight(
                Effect.logWarning("Counting the files of a user failed; the write is refused", error),
                new SandboxRefused({
                  path: "",
                  kind: "unavailable",
                  reason: "the database does not answer; try it later"
                })
              )
          })
        ),
      forget: (userId) => Effect.orDie(asService(sql`delete from file_usage where user_id = ${userId}`))
    }))
  )
}

const decodeRows = Schema.decodeUnknown(
  Schema.Array(Schema.Struct({ bytes: Schema.Number, files: Schema.Number, isFresh: Schema.Boolean }))
)
