import { Effect, Redacted, type Scope } from "effect"
import { Client } from "pg"
import { type Cluster, user } from "./Cluster.ts"
import { attempt, EmbeddedPostgresFailed, notStarted, type SystemFailed } from "./EmbeddedPostgresFailed.ts"
import { Busy, type Server } from "./Server.ts"

export interface Ownership {
  readonly lost: Effect.Effect<void>
  /** Whether the server is as durable as was asked for: an adopted one may not be. */
  readonly isDurableEnough: boolean
}

const lockKey = 0x74_72_6f_75

/** Takes an advisory lock, which PostgreSQL releases when the owner's connection ends, and creates the database. */
export const acquire = (
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
      Effect.mapError(attempt(() => client.query<Record<string, unknown>>(text)), (cause) => failureOf(cluster, cause))
    // PostgreSQL may not have noticed yet that the last owner was killed.
    yield* query("set lock_timeout = '2s'")
    yield* query(`select pg_advisory_lock(${lockKey})`)
    const fsync = yield* query("show fsync")
    const database = yield* query("select 1 from pg_database where datname = 'troupe'")
    if (database.rows.length === 0) yield* query("create database troupe")
    return { lost, isDurableEnough: !cluster.durable || fsync.rows[0]?.["fsync"] === "on" }
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
      (cause) => failureOf(cluster, cause)
    ),
    (client) => Effect.ignore(Effect.timeout(Effect.interruptible(attempt(() => client.end())), "1 second"))
  )

const failureOf = ({ home }: Cluster, { code, message }: SystemFailed): Busy | EmbeddedPostgresFailed => {
  const detail = `The PostgreSQL of ${home} can't be used: ${message}`
  switch (code) {
    case "55P03":
      return new EmbeddedPostgresFailed({ reason: "in-use", detail: `Another process serves from ${home}` })
    case "28P01":
      return notStarted(detail)
    case "53100":
      return new EmbeddedPostgresFailed({ reason: "storage", detail })
    default:
      return new Busy({ detail })
  }
}
