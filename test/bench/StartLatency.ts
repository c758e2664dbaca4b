import { Effect, type Scope } from "effect"
import { type Bench, type Environment, freshEnvironment } from "./Bench.ts"
import { untilShards } from "./Chat.ts"
import { freePort, startService, startSubject } from "./Child.ts"
import { makeHttpClients } from "./HttpClients.ts"
import { ascending, print, quantile, round } from "./Line.ts"
import { temporaryFolder } from "./Postgres.ts"
import { messageOf, stepsOf } from "./Work.ts"

const perSecond = 25

/**
 * Time from the commit of a task, as seen by the process that accepted it, to its first model request at the provider.
 * Requests are sent at a constant rate of 25 per second.
 */
export const start = (bench: Bench) =>
  Effect.gen(function*() {
    yield* measureStart(bench, "POST /chat and the actors in one process", (environment) =>
      Effect.map(freePort, (port) => ({
        subject: { role: "all" as const, environment: { ...environment, PORT: String(port) } },
        port,
        ready: Effect.sleep("2 seconds")
      })))
    yield* measureStart(bench, "POST /chat in one process, the actors in another", (environment) =>
      Effect.gen(function*() {
        const port = yield* freePort
        yield* startService("worker", { ...environment, RUNNER_PORT: String(yield* freePort) })
        const api = { ...environment, PORT: String(port), RUNNER_PORT: String(yield* freePort) }
        return {
          subject: { role: "api" as const, environment: api },
          port,
          ready: untilShards(environment["DATABASE_URL"] ?? "")
        }
      }))
  })

interface Acceptor {
  readonly subject: Parameters<typeof startSubject>[0]
  readonly port: number
  readonly ready: Effect.Effect<void>
}

const measureStart = (
  bench: Bench,
  variant: string,
  open: (environment: Environment) => Effect.Effect<Acceptor, never, Scope.Scope>
) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const model = "fake-r1-l5-m1"
    const { environment } = yield* freshEnvironment(bench, model, folder)
    const { port, ready, subject } = yield* open(environment)
    const api = yield* startSubject(subject)
    yield* ready
    const { submit } = yield* makeHttpClients(port)
    const tasks = bench.options.quick ? 100 : 500
    yield* evenly(tasks, (task) => submit(messageOf(task)))
    yield* bench.model.ask("arrivals", {})

    const ids = yield* evenly(tasks, (task) => submit(messageOf(tasks + task)))
    yield* Effect.sleep("2 seconds")
    const arrivals = yield* bench.model.ask("arrivals", {})
    const commits = new Map(yield* api.ask("commits", {}))
    const first = new Map<number, number>()
    for (const { at, task } of arrivals) first.set(task, Math.min(at, first.get(task) ?? Infinity))
    const delays = ascending(ids.flatMap((id, index) => {
      const committed = commits.get(id)
      const asked = first.get(tasks + index)
      return committed === undefined || asked === undefined ? [] : [asked - committed]
    }))
    print("start", {
      tasks,
      errors: tasks - delays.length,
      model,
      variant,
      per_s: perSecond,
      start_p50_ms: round(quantile(delays, 0.5)),
      start_p95_ms: round(quantile(delays, 0.95)),
      start_p99_ms: round(quantile(delays, 0.99)),
      start_max_ms: round(delays.at(-1) ?? 0),
      model_calls_per_task: round(arrivals.length / tasks),
      steps_per_task: stepsOf(1)
    })
  }).pipe(Effect.scoped)

/** Sends `count` requests at a constant rate, and returns their results in order. */
const evenly = <A>(count: number, send: (index: number) => Promise<A>): Effect.Effect<ReadonlyArray<A>> =>
  Effect.promise(() =>
    Promise.all(Array.from(
      { length: count },
      (_, index) =>
        new Promise<A>((resolve, reject) => {
          setTimeout(() => send(index).then(resolve, reject), index * 1000 / perSecond)
        })
    ))
  )
