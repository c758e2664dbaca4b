import { Effect, Layer, Option } from "effect"
import { ThroughPooler } from "./DatabaseUrl.ts"
import { Session } from "./Session.ts"

export interface ConnectionUse {
  /** Processes of the service on this server, this one included. */
  readonly processes: number
  /** Connections of others. */
  readonly others: number
  /** Connections that the server accepts, without those that it reserves. */
  readonly limit: number
}

/** Each process may open as many connections as this one; null: they fit. */
export const warningOf = (each: number, { limit, others, processes }: ConnectionUse): string | null =>
  processes * each + others <= limit
    ? null
    : `The database server accepts ${limit} connections, and they may not be enough: ${
      processes === 1 ? "one process" : `${processes} processes`
    } of the service with up to ${each} each (DATABASE_MAX_CONNECTIONS), and ${others} of others. Lower `
      + "DATABASE_MAX_CONNECTIONS, raise max_connections of the server, or put a connection pooler before it."

/** Each process has one session. */
const statement = `select count(*) filter (where application_name = 'troupe-session')::integer as processes,
  count(*) filter (where application_name not like 'troupe%')::integer as others,
  (select sum(case name when 'max_connections' then setting::integer else -setting::integer end) from pg_settings
    where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections'))::integer as "limit"
from pg_stat_activity where backend_type = 'client backend'`

const numberIn = (value: unknown): number => typeof value === "number" ? value : 0

/** Warns at the start if all processes together may open more connections than the server accepts. */
export const layer = (maxConnections: number): Layer.Layer<never, never, Session> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    // A pooler limits the connections itself.
    if (yield* ThroughPooler) return
    const { query } = yield* Session
    yield* query(statement).pipe(
      Effect.flatMap(([row = {}]) => {
        const { limit, others, processes } = row
        const use = { limit: numberIn(limit), others: numberIn(others), processes: numberIn(processes) }
        return Effect.transposeMapOption(Option.fromNullable(warningOf(maxConnections, use)), Effect.logWarning)
      }),
      Effect.ignore,
      Effect.forkScoped
    )
  }))
