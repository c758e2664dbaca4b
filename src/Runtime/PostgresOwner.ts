import { Effect, Redacted, type Scope } from "effect"
import { Client } from "pg"
import { attempt, EmbeddedPostgresFailed, type SystemRefused } from "./EmbeddedPostgresFailed.ts"
import { type Cluster, user } from "./PostgresCluster.ts"
import { Busy, type Server } from "./PostgresServer.ts"

/** What one process holds as long as it owns the server. */
export interface Ownership {
  readonly lost: Effect.Effect<void>
  /** Whether the server runs with the safety that was asked for: an adopted one may not. */
  readonly isAsAsked: boolean
}

const key = 0x74_72_6f_75

/**
 * Becomes the one owner of the server, by an advisory lock in it: a lock that the kernel and PostgreSQL give back the
 * moment we are gone, whatever became of us, and that knows no process numbers to mix up. Makes the database too.
 */
export const own = (
  cluster: Cluster,
  server: Server
): Effect.Effect<Ownership, Busy | EmbeddedPostgresFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const client = yield* connect(cluster, server)
    const lost = Effect.async<void>((resume) => {
      client.once("end", () => resume(Effect.void))
      client.once("error", () => resume(Effect.void))
    })
    const query = (text: string) =>
      Effect.mapError(attempt(() => client.query<Record<string, unknown>>(text)), (cause) => refusal(cluster, cause))
    // A predecessor that was just killed may not have been missed yet.
    yield* query("set lock_timeout = '2s'")
    yield* query(`select pg_advisory_lock(${key})`)
    const fsync = yield* query("show fsync")
    const database = yield* query("select 1 from pg_database where datname = 'troupe'")
    if (database.rows.length === 0) yield* query("create database troupe")
    return { lost, isAsAsked: !cluster.durable || fsync.rows[0]?.["fsync"] === "on" }
  })

const connect = (cluster: Cluster, server: Server) =>
  Effect.acquireRelease(
    Effect.mapError(
      attempt(() => {
        const client = new Client({
          host: "127.0.0.1",
          port: server.port,
          user,
          password: Redacted.value(cluster.password),
          database: "postgres",
          application_name: "troupe-owner",
          connectionTimeoutMillis: 5_000
        })
        client.on("error", () => {})
        return client.connect().then(() => client)
      }),
      (cause) => refusal(cluster, cause)
    ),
    (client) => Effect.ignore(Effect.timeout(Effect.interruptible(attempt(() => client.end())), "1 second"))
  )

const refusal = ({ home }: Cluster, { code, message }: SystemRefused): Busy | EmbeddedPostgresFailed => {
  const detail = `The PostgreSQL of ${home} can't be had: ${message}`
  switch (code) {
    case "55P03":
      return new EmbeddedPostgresFailed({ reason: "in-use", detail: `Another process serves from ${home}` })
    case "28P01":
      return new EmbeddedPostgresFailed({ reason: "not-started", detail })
    case "53100":
      return new EmbeddedPostgresFailed({ reason: "storage", detail })
    default:
      return new Busy({ detail })
  }
}
