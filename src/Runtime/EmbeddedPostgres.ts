import { Cause, Deferred, Effect, Layer, Option, Redacted, Ref, Schedule, Scope } from "effect"
import { DatabaseUrl } from "./DatabaseUrl.ts"
import { EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"
import * as PostgresCluster from "./PostgresCluster.ts"
import { own } from "./PostgresOwner.ts"
import * as PostgresServer from "./PostgresServer.ts"

export interface EmbeddedPostgresOptions {
  /** A folder of its own, which is made where there is none. */
  readonly dataDir: string
  readonly durable: boolean
}

/**
 * PostgreSQL without an installation: real binaries that npm brought, serving `dataDir` on a free port of 127.0.0.1
 * until the scope closes. One live process has it at a time; a server that outlived a killed one is adopted, and one
 * that ends by itself is started again on the same port. `durable: false` trades safety for speed, for tests. Answers
 * the URL of the database `troupe`, which is made where there is none.
 */
export const start: (
  options: EmbeddedPostgresOptions
) => Effect.Effect<Redacted.Redacted, EmbeddedPostgresFailed, Scope.Scope> = Effect.fn("EmbeddedPostgres.start")(
  function*(options) {
    const cluster = yield* PostgresCluster.open(options)
    const ready = yield* Deferred.make<number, EmbeddedPostgresFailed>()
    yield* Effect.forkScoped(supervise(cluster, ready))
    const port = yield* Deferred.await(ready)
    const password = Redacted.value(cluster.password)
    return Redacted.make(`postgresql://${PostgresCluster.user}:${password}@127.0.0.1:${port}/troupe`)
  }
)

export const layer = (options: EmbeddedPostgresOptions): Layer.Layer<DatabaseUrl, EmbeddedPostgresFailed> =>
  Layer.scoped(DatabaseUrl, start(options))

/** Serves for as long as it is let; fails only `ready`, where the first start fails. */
const supervise = (cluster: PostgresCluster.Cluster, ready: Deferred.Deferred<number, EmbeddedPostgresFailed>) =>
  Effect.gen(function*() {
    const known = yield* Ref.make(Option.none<number>())
    const term = serve(
      cluster,
      Effect.flatMap(
        Ref.get(known),
        Option.match({ onNone: () => PostgresCluster.choosePort(cluster), onSome: Effect.succeed })
      ),
      (port) => Effect.zipRight(Ref.set(known, Option.some(port)), Deferred.succeed(ready, port))
    )
    yield* Effect.catchAllCause(term, (cause) =>
      Effect.flatMap(
        Deferred.failCause(ready, cause),
        (first) => first ? Effect.interrupt : Effect.logError(Cause.pretty(cause))
      ))
    yield* Effect.logWarning("The embedded PostgreSQL ended by itself and is started again").pipe(
      Effect.zipRight(Effect.catchAll(term, (error) => Effect.logError(error.message))),
      Effect.repeat(Schedule.spaced("1 second"))
    )
  })

/** From the start, or the adoption, of a server until that server is gone. */
const serve = (
  cluster: PostgresCluster.Cluster,
  choosePort: Effect.Effect<number, EmbeddedPostgresFailed>,
  onReady: (port: number) => Effect.Effect<unknown>
): Effect.Effect<void, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const term = yield* Effect.scope
    // Of processes that start together, one may take the server that another started.
    const isOurs = yield* Ref.make(true)
    const found = yield* PostgresServer.find(cluster)
    if (Option.isSome(found) && !found.value.isReady) {
      return yield* new PostgresServer.Busy({
        detail: `A PostgreSQL server on ${cluster.home} neither starts nor ends`
      })
    }
    const server = Option.isSome(found)
      ? found.value
      : yield* Effect.flatMap(choosePort, (port) => PostgresServer.launch(cluster, port, Ref.get(isOurs)))
    const owned = Effect.tapError(
      own(cluster, server),
      (error) => Ref.set(isOurs, !(error._tag === "EmbeddedPostgresFailed" && error.reason === "in-use"))
    )

    yield* Effect.gen(function*() {
      const { isAsAsked, lost } = yield* owned
      if (!isAsAsked) {
        yield* PostgresServer.stop(cluster, server)
        return yield* new PostgresServer.Busy({ detail: `The PostgreSQL server on ${cluster.home} is not durable` })
      }
      if (Option.isSome(found)) yield* PostgresServer.adopt(cluster, server, Ref.get(isOurs)).pipe(Scope.extend(term))
      yield* onReady(server.port)
      yield* lost
    }).pipe(Effect.scoped)
    // What was lost is a connection; the server behind it may be well.
    yield* Effect.flatMap(owned, ({ lost }) => lost).pipe(
      Effect.scoped,
      Effect.catchTag("Busy", () => Effect.sleep("50 millis")),
      Effect.repeat({ while: () => server.isAlive })
    )
  }).pipe(
    Effect.scoped,
    Effect.retry({
      while: (error) => error._tag === "Busy",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("60 seconds"))
    }),
    Effect.catchTag("Busy", ({ detail }) => new EmbeddedPostgresFailed({ reason: "not-started", detail }))
  )
