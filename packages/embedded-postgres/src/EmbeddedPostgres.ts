import { Cause, Deferred, Effect, Option, Redacted, Ref, Schedule, Scope } from "effect"
import * as Cluster from "./Cluster.ts"
import { type EmbeddedPostgresFailed, notStarted } from "./EmbeddedPostgresFailed.ts"
import { acquire } from "./Ownership.ts"
import * as Server from "./Server.ts"

/**
 * Serves `dataDir` on a free port of 127.0.0.1 until the scope ends, for one process at a time. Adopts a server that a
 * killed process left, and restarts one that ends. Succeeds with the URL of the database `troupe`.
 */
export const start: (
  options: Cluster.ClusterOptions
) => Effect.Effect<Redacted.Redacted, EmbeddedPostgresFailed, Scope.Scope> = Effect.fn("EmbeddedPostgres.start")(
  function*(options) {
    const cluster = yield* Cluster.open(options)
    const ready = yield* Deferred.make<number, EmbeddedPostgresFailed>()
    yield* Effect.forkScoped(supervise(cluster, ready))
    const port = yield* Deferred.await(ready)
    return Cluster.urlOf(Redacted.value(cluster.password), port)
  }
)

/** Keeps a server running. A failure of the first start goes to `ready`; later ones are logged and retried. */
const supervise = (cluster: Cluster.Cluster, ready: Deferred.Deferred<number, EmbeddedPostgresFailed>) =>
  Effect.gen(function*() {
    const lastPort = yield* Ref.make(Option.none<number>())
    const served = serve(
      cluster,
      Effect.flatMap(
        Ref.get(lastPort),
        Option.match({ onNone: () => Cluster.choosePort(cluster), onSome: Effect.succeed })
      ),
      (port) => Effect.zipRight(Ref.set(lastPort, Option.some(port)), Deferred.succeed(ready, port))
    )
    yield* Effect.catchAllCause(served, (cause) =>
      Effect.flatMap(
        Deferred.failCause(ready, cause),
        (first) => first ? Effect.interrupt : Effect.logError(Cause.pretty(cause))
      ))
    yield* Effect.logWarning("Embedded PostgreSQL ended unexpectedly; restarting it").pipe(
      Effect.zipRight(Effect.catchAll(served, (error) => Effect.logError(error.message))),
      Effect.repeat(Schedule.spaced("1 second"))
    )
  })

const serve = (
  cluster: Cluster.Cluster,
  choosePort: Effect.Effect<number, EmbeddedPostgresFailed>,
  onReady: (port: number) => Effect.Effect<unknown>
): Effect.Effect<void, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const serverScope = yield* Effect.scope
    // Of processes that start together, one may adopt the server that another started.
    const isOurs = yield* Ref.make(true)
    const found = yield* Server.find(cluster)
    if (Option.isSome(found) && !found.value.isReady) {
      return yield* new Server.Busy({
        detail: `The PostgreSQL server in ${cluster.home} is neither ready nor stopped`
      })
    }
    const server = Option.isSome(found)
      ? found.value
      : yield* Effect.flatMap(choosePort, (port) => Server.launch(cluster, port, Ref.get(isOurs)))
    const owned = Effect.tapError(
      acquire(cluster, server),
      (error) => Ref.set(isOurs, !(error._tag === "EmbeddedPostgresFailed" && error.reason === "in-use"))
    )

    yield* Effect.gen(function*() {
      const { isDurableEnough, lost } = yield* owned
      if (!isDurableEnough) {
        yield* Server.stop(cluster, server)
        return yield* new Server.Busy({ detail: `The PostgreSQL server in ${cluster.home} is not durable` })
      }
      if (Option.isSome(found)) yield* Server.adopt(cluster, server, Ref.get(isOurs)).pipe(Scope.extend(serverScope))
      yield* onReady(server.port)
      yield* lost
    }).pipe(Effect.scoped)
    // A lost connection does not mean that the server has ended.
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
    Effect.catchTag("Busy", ({ detail }) => notStarted(detail))
  )
