import { Effect } from "effect"
import { type Bench, freshEnvironment } from "./Bench.ts"
import { startSubject } from "./Child.ts"
import { print } from "./Line.ts"
import { temporaryFolder } from "./Postgres.ts"
import { type Stage, stages } from "./Protocol.ts"
import { type Runnable, work } from "./Window.ts"

const countedTasks = 256

/** Effect operations of a task by stage. They do not depend on the machine, so two versions compare on a busy one. */
export const operations = (bench: Bench) =>
  Effect.forEach([1, 16, 64], (concurrency) =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const { environment } = yield* freshEnvironment(bench, "fake-r3-l0", folder)
      const { ask } = yield* startSubject({ role: "worker", environment, counts: true })
      const subject: Runnable = { run: (order) => ask("run", order) }
      yield* work(subject, 64, concurrency)
      yield* ask("operations", {})
      const { errors } = yield* work(subject, countedTasks, concurrency)
      const counts = yield* ask("operations", {})
      print("operations", { concurrency, tasks: countedTasks, errors, ...perTask(counts) })
    }).pipe(Effect.scoped), { discard: true })

const perTask = (counts: Readonly<Record<Stage, number>>) => ({
  operations_per_task: Math.round(stages.reduce((sum, stage) => sum + counts[stage], 0) / countedTasks),
  by_stage: stages.map((stage) => `${stage} ${Math.round(counts[stage] / countedTasks)}`).join(", ")
})
