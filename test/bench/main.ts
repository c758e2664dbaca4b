import { NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Option } from "effect"
import type { Bench } from "./Bench.ts"
import { chat } from "./Chat.ts"
import { startFlags, startModel } from "./Child.ts"
import { failover } from "./Failover.ts"
import { print } from "./Line.ts"
import { memory } from "./Memory.ts"
import { modelCalls } from "./ModelCallCost.ts"
import { operations } from "./OperationCounts.ts"
import { type Measurement, parseOptions } from "./Options.ts"
import { peers } from "./Peers.ts"
import * as Postgres from "./Postgres.ts"
import { scale } from "./Scale.ts"
import { start } from "./StartLatency.ts"
import { growth, peerLoads, worker } from "./Throughput.ts"
import { paused } from "./Waiting.ts"
import { watchers } from "./Watchers.ts"

const benches: Readonly<Record<Measurement, (bench: Bench) => Effect.Effect<void>>> = {
  worker,
  operations,
  chat,
  growth,
  paused,
  start,
  failover,
  modelcall: modelCalls,
  memory,
  watchers,
  scale
}

const program = Effect.gen(function*() {
  const options = yield* parseOptions(process.argv.slice(2))
  const postgres = yield* Postgres.open(options.pgUrl)
  const model = yield* startModel
  print("setup", { postgres: postgres.version, flags: startFlags.join(" "), quick: options.quick })
  const bench = { options, postgres, model }
  for (const name of options.only) yield* benches[name](bench)
  // `worker` measures them in turns with itself.
  if (options.peers !== null && !options.only.includes("worker")) yield* peers(bench, options.peers, peerLoads)
}).pipe(Effect.scoped)

/** Invalid options are reported in a sentence, any other failure with its whole cause. */
const report = (cause: Cause.Cause<{ readonly message: string }>) =>
  Effect.sync(() => {
    const failure = Cause.failureOption(cause)
    process.stderr.write(`${Option.isSome(failure) ? failure.value.message : Cause.pretty(cause)}\n`)
  })

NodeRuntime.runMain(Effect.tapErrorCause(program, report), { disableErrorReporting: true })
