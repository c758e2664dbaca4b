import { Effect, type Scope } from "effect"
import { type Client, DatabaseError, type QueryResultRow } from "pg"
import { openSession as open } from "../Runtime/Database/Connections.ts"
import type { DatabaseUrl } from "../Runtime/Database/DatabaseUrl.ts"
import { type BackupFailed, backupFailure, failed } from "./BackupFailed.ts"

export type Rows<Row> = Effect.Effect<ReadonlyArray<Row>, BackupFailed>

/** One connection, whose values are written in the same way whatever the server's settings are. */
export interface Session {
  readonly client: Client
  readonly query: <Row extends QueryResultRow>(text: string, values?: ReadonlyArray<unknown>) => Rows<Row>
}

export const applicationName = "troupe-backup"

/** `row_security`: a statement that would leave out rows fails. */
const session = {
  statement_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  lock_timeout: "30s",
  row_security: "off",
  client_encoding: "UTF8",
  datestyle: "ISO",
  intervalstyle: "postgres",
  timezone: "UTC"
}

export const openSession: Effect.Effect<Session, BackupFailed, DatabaseUrl | Scope.Scope> = Effect.map(
  Effect.mapError(
    open({ applicationName, session }),
    () => failed("The database can't be reached. Check DATABASE_URL; npx troupe doctor says more.")
  ),
  (client) => ({
    client,
    query: <Row extends QueryResultRow>(text: string, values: ReadonlyArray<unknown> = []): Rows<Row> =>
      Effect.tryPromise({
        try: () => client.query<Row>(text, [...values]).then(({ rows }) => rows),
        catch: databaseFailure
      })
  })
)

/** The server's refusals, apart from failures of the archive that is copied from or to. */
export const databaseFailure = (cause: unknown): BackupFailed =>
  cause instanceof DatabaseError
    ? failed(`The database refused: ${cause.message}${cause.detail === undefined ? "" : ` (${cause.detail})`}`)
    : backupFailure("Using the database", "The archive")(cause)

/** Whether the database answers. */
export const isReachable: Effect.Effect<boolean, never, DatabaseUrl> = Effect.scoped(
  Effect.isSuccess(open({ applicationName }))
)
