import { Effect, type Scope } from "effect"
import { Agent, request } from "node:http"
import { type Bench, type Environment, freshEnvironment } from "./Bench.ts"
import { untilShards } from "./Chat.ts"
import { freePort, startBareServer, startService } from "./Child.ts"
import { ascending, each, median, print, quantile, round } from "./Line.ts"
import { calibrate, cpuOf, cpuOfFamily, sharedClock } from "./Machine.ts"
import { temporaryFolder } from "./Postgres.ts"
import { evenly, perSecond } from "./StartLatency.ts"
import { untilRow } from "./Window.ts"
import { messageOf } from "./Work.ts"

const connections = 64

/** Webhooks that the ingestor takes in, and the time until a worker's model call. */
export const webhooks = (bench: Bench) =>
  Effect.gen(function*() {
    yield* taken(bench)
    yield* untilModelCall(bench, "POST /webhook and the actors in one process", (environment) =>
      Effect.gen(function*() {
        const port = yield* freePort
        yield* startService("all", { ...environment, PORT: String(port), RUNNER_PORT: String(yield* freePort) })
        return port
      }))
    yield* untilModelCall(bench, "the ingestor in one process, the actors in another", (environment) =>
      Effect.gen(function*() {
        yield* startService("worker", { ...environment, RUNNER_PORT: String(yield* freePort) })
        return yield* startIngestor(environment).pipe(Effect.map(({ port }) =>
          port
        ))
      }))
  })

const startIngestor = (environment: Environment) =>
  Effect.gen(function*() {
    const port = yield* freePort
    const { pid } = yield* startService("ingestor", { ...environment, INGESTOR_PORT: String(port) })
    return { pid, port }
  })

/** The ingestor beside a bare server, in turns, by the same clients. */
const taken = (bench: Bench) =>
  Effect.gen(function*() {
    const { options: { quick, windows }, postgres } = bench
    const { environment } = yield* freshEnvironment(bench, "fake", yield* temporaryFolder)
    const servers = [yield* startIngestor(environment), yield* startBareServer] as const
    const send = yield* makeSender
    const count = quick ? 1_000 : 10_000
    const load = (server: { readonly pid: number; readonly port: number }) =>
      Effect.gen(function*() {
        const cpuBefore = cpuOf(server.pid)
        const pgBefore = cpuOfFamily(postgres.pid)
        const { latencies, seconds } = yield* Effect.promise(() => closedLoop(count, () => send(server.port, 0)))
        return {
          perSecond: count / seconds,
          cpu: each(cpuOf(server.pid), cpuBefore, count, 3),
          pgCpu: each(cpuOfFamily(postgres.pid), pgBefore, count, 3),
          p50: quantile(latencies, 0.5),
          p99: quantile(latencies, 0.99)
        }
      })
    const turn = Effect.all([load(servers[0]), load(servers[1])])
    yield* turn
    const calibration = calibrate()
    const turns = yield* Effect.replicateEffect(turn, windows)
    const ours = turns.map(([ingestor]) => ingestor)
    const bare = turns.map(([, server]) => server)
    const millis = (values: ReadonlyArray<number | null>) => median(values.map((value) => value ?? Number.NaN))
    print("webhooks", {
      variant: "the ingestor and a bare server in turns",
      connections,
      webhooks: count,
      body_bytes: bodyOf(0).length,
      webhooks_per_s: round(median(ours.map(({ perSecond }) => perSecond)), 0),
      bare_per_s: round(median(bare.map(({ perSecond }) => perSecond)), 0),
      ratio: round(median(turns.map(([one, other]) => one.perSecond / other.perSecond))),
      p50_ms: round(median(ours.map(({ p50 }) => p50))),
      p99_ms: round(median(ours.map(({ p99 }) => p99))),
      bare_p50_ms: round(median(bare.map(({ p50 }) => p50))),
      bare_p99_ms: round(median(bare.map(({ p99 }) => p99))),
      node_cpu_ms_per_webhook: millis(ours.map(({ cpu }) => cpu)),
      bare_cpu_ms_per_webhook: millis(bare.map(({ cpu }) => cpu)),
      pg_cpu_ms_per_webhook: millis(ours.map(({ pgCpu }) => pgCpu)),
      calib_ms: round(calibration)
    })
  }).pipe(Effect.scoped)

/** Time from the answer to a webhook to the first model request of its task, at a constant rate. */
const untilModelCall = (
  bench: Bench,
  variant: string,
  start: (environment: Environment) => Effect.Effect<number, never, Scope.Scope>
) =>
  Effect.gen(function*() {
    const model = "fake-r1-l5-m1"
    const { environment } = yield* freshEnvironment(bench, model, yield* temporaryFolder)
    const port = yield* start(environment)
    const url = environment["DATABASE_URL"] ?? ""
    yield* untilShards(url)
    const send = yield* makeSender
    const count = bench.options.quick ? 100 : 500
    yield* evenly(count, (index) => send(port, index))
    yield* untilRow(url, ended, [count], "60 seconds")
    yield* bench.model.ask("arrivals", {})
    const answered = yield* evenly(count, (index) => send(port, count + index).then(sharedClock))
    yield* untilRow(url, ended, [2 * count], "60 seconds")
    const first = new Map<number, number>()
    for (const { at, task } of yield* bench.model.ask("arrivals", {})) {
      first.set(task, Math.min(at, first.get(task) ?? Infinity))
    }
    const delays = ascending(answered.flatMap((at, index) => {
      const asked = first.get(count + index)
      return asked === undefined ? [] : [asked - at]
    }))
    print("webhooks", {
      variant,
      webhooks: count,
      errors: count - delays.length,
      model,
      per_s: perSecond,
      start_p50_ms: round(quantile(delays, 0.5)),
      start_p95_ms: round(quantile(delays, 0.95)),
      start_p99_ms: round(quantile(delays, 0.99)),
      start_max_ms: round(delays.at(-1) ?? 0)
    })
  }).pipe(Effect.scoped)

const ended = "select count(*) >= $1 as yes from actors where status in ('completed', 'failed')"

const bodyOf = (task: number): string =>
  JSON.stringify({
    order: {
      number: 4711,
      currency: "EUR",
      lines: Array.from({ length: 12 }, (_, line) => ({ sku: `A-${line}`, quantity: 2 }))
    },
    message: messageOf(task)
  })

let sent = 0

/** Sends a webhook with an id of its own over one of the persistent connections. */
const makeSender = Effect.acquireRelease(
  Effect.sync(() => new Agent({ keepAlive: true, maxSockets: connections })),
  (agent) => Effect.sync(() => agent.destroy())
).pipe(Effect.map((agent) => (port: number, task: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const body = bodyOf(task)
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "webhook-id": `msg_${sent++}`
    }
    const call = request(
      { host: "127.0.0.1", port, path: "/webhook/orders", method: "POST", agent, headers },
      (answer) => {
        answer.on(
          "end",
          () => answer.statusCode === 200 ? resolve() : reject(new Error(`Webhook: ${answer.statusCode}`))
        )
        answer.resume()
      }
    )
    call.on("error", reject)
    call.end(body)
  })
))

const closedLoop = async (count: number, send: () => Promise<void>) => {
  const latencies: Array<number> = []
  let left = count
  const client = async () => {
    while (left-- > 0) {
      const before = performance.now()
      await send()
      latencies.push(performance.now() - before)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, client))
  return { latencies: ascending(latencies), seconds: (performance.now() - start) / 1e3 }
}
