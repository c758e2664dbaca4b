import { NodeContext } from "@effect/platform-node"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { MemoryId } from "@troupe/domain/Memory"
import { normalised } from "@troupe/domain/Vector"
import { Effect, Layer, Redacted } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { v7 } from "uuid"
import { MemoryIndex } from "../../dist/Memory/MemoryIndex.js"
import { MemoryRepo } from "../../dist/Memory/MemoryRepo.js"
import { DatabaseUrl } from "../../dist/Runtime/Database/DatabaseUrl.js"
import * as Migrations from "../../dist/Runtime/Database/Migrations.js"
import * as Sql from "../../dist/Runtime/Database/Sql.js"
import type { Bench } from "./Bench.ts"
import { ascending, print, quantile, round } from "./Line.ts"

/** The offline model's dimensions, and those of OpenAI's small embedding model. */
const widths = [256, 1_536]

const user = UserId.make("default")

/** Searches over all memories of one user without pgvector. */
export const memory = ({ options: { quick }, postgres }: Bench) =>
  Effect.forEach(widths, (dimensions) =>
    Effect.gen(function*() {
      const url = yield* postgres.freshDatabase(`troupe_bench_memory_${dimensions}`)
      yield* measured(dimensions, 10_000, quick ? 10 : 30).pipe(
        Effect.provide(layers(url)),
        Effect.orDie
      )
    }), { discard: true })

const layers = (url: string) =>
  MemoryIndex.layerScan({ cacheBytes: 1_000_000_000 }).pipe(
    Layer.provideMerge(MemoryRepo.layer),
    Layer.provide(Layer.provide(Layer.effectDiscard(Migrations.migrate()), NodeContext.layer)),
    Layer.provide(Sql.layer({ maxConnections: 2 })),
    Layer.provide(Layer.succeed(DatabaseUrl, Redacted.make(url)))
  )

const measured = (dimensions: number, memories: number, searches: number) =>
  Effect.gen(function*() {
    const index = yield* MemoryIndex
    const repo = yield* MemoryRepo
    const space = { model: "bench", dimensions }
    const vector = vectors(dimensions)
    const row = () => ({
      id: MemoryId.make(v7()),
      content: "A memory of the benchmark",
      tags: [],
      taskId: null,
      vector: vector(),
      isNew: true
    })
    const batch = Math.floor(100_000 / dimensions)
    for (let version = 0; version * batch < memories; version++) {
      const rows = Array.from({ length: Math.min(batch, memories - version * batch) }, row)
      yield* repo.write(user, { version, space, rows, tasks: [] })
    }
    const search = Effect.suspend(() => {
      const began = performance.now()
      return Effect.map(index.nearestOfEach(user, space, [vector()], 5), () => performance.now() - began)
    })
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    const cold = yield* search
    const coldDelay = delays.max
    const { version } = yield* repo.owner(user)
    const added = { ...row(), taskId: TaskId.make(v7()) }
    yield* repo.write(user, { version, space, rows: [added], tasks: [] })
    const changed = yield* search
    yield* repo.removeOldest(user, 1)
    const removed = yield* search
    delays.reset()
    const cpu = process.cpuUsage()
    const times = ascending(yield* Effect.replicateEffect(search, searches))
    const { system, user: own } = process.cpuUsage(cpu)
    delays.disable()
    print("memory", {
      variant: `scan-${dimensions}`,
      memories,
      dimensions,
      searches,
      first_ms: round(cold),
      first_event_loop_max_ms: round(coldDelay / 1e6),
      after_change_ms: round(changed),
      after_removal_ms: round(removed),
      p50_ms: round(quantile(times, 0.5)),
      p95_ms: round(quantile(times, 0.95)),
      node_cpu_ms_per_search: round((system + own) / 1000 / searches),
      event_loop_p99_ms: round(delays.percentile(99) / 1e6),
      event_loop_max_ms: round(delays.max / 1e6)
    })
  })

/** Unit vectors that look random and are the same in every run. */
const vectors = (dimensions: number) => {
  let state = 1
  return () =>
    normalised(Float32Array.from({ length: dimensions }, () => {
      state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0
      return state / 2 ** 31
    }))
}
