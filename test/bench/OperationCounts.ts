import { Effect } from "effect"
import { type Bench, freshEnvironment } from "./Bench.ts"
import { startSubject } from "./Child.ts"
import { print } from "./Line.ts"
import { temporaryFolder } from "./Postgres.ts"
import { type Stage, stages } from "./Protocol.ts"
import { type Runnable, work } from "./Window.ts"

const countedTasks = 256

/** Enough for a claim in almost every shard: the first one of a shard makes its supervisor. */
const warmUp = 1_200

/** Effect operations of a task by stage. They do not depend on the machine, so two versions compare on a busy one. */
export const operations = (bench: Bench) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const { environment } = yield* freshEnvironment(bench, "fake-r3-l0", folder)
    const { ask } = yield* startSubject({ role: "worker", environment, counts: true })
    const subject: Runnable = { run: (order) => ask("run", order) }
    yield* work(subject, warmUp, 64)
    for (const concurrency of [1, 16, 64]) {
      yield* ask("operations", {})
      const { errors } = yield* work(subject, countedTasks, concurrency)
      print("operations", { concurrency, tasks: countedTasks, errors, ...perTask(yield* ask("operations", {})) })
    }
  }).pipe(Effect.scoped)

const perTask = (counts: Readonly<Record<Stage, number>>) => ({
  operations_per_task: Math.round(stages.reduce((sum, stage) => sum + counts[stage], 0) / countedTasks),
  by_stage: stages.map((stage) => `${stage} ${Math.round(counts[stage] / countedTasks)}`).join(", ")
})
