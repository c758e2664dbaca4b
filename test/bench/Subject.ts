// The service's layers as `apps/` assembles them, in a child process and with the tool `get_data`. The journal reports
// here when a task has settled, so that no statement is needed to find out.
import * as Tool from "@effect/ai/Tool"
import { NodeContext } from "@effect/platform-node"
import type { TaskId } from "@troupe/domain/Ids"
import { defaultUser, UserId } from "@troupe/domain/Ids"
import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as Actors from "../../dist/apps/Actors.js"
import * as Database from "../../dist/apps/Database.js"
import * as Http from "../../dist/apps/Http.js"
import * as Services from "../../dist/apps/Services.js"
import { chosen, Model } from "../../dist/Model/Model.js"
import * as Cluster from "../../dist/Runtime/Cluster/Cluster.js"
import { PreparedStatements } from "../../dist/Runtime/Database/PreparedStatements.js"
import { Settings } from "../../dist/Runtime/Settings/Settings.js"
import * as OtlpTracing from "../../dist/Runtime/Telemetry/OtlpTracing.js"
import * as Telemetry from "../../dist/Runtime/Telemetry/Telemetry.js"
import { Journal } from "../../dist/Task/Journal/Journal.js"
import type { StepWrite } from "../../dist/Task/Journal/StepWrite.js"
import { Tasks } from "../../dist/Task/UseCase/Tasks.js"
import { wait } from "../../dist/Tool/ParkingTools.js"
import { Toolboxes } from "../../dist/Tool/Toolboxes.js"
import { implement } from "../../dist/Tool/ToolHandler.js"
import { answerQuestions, orderOf } from "./Answering.ts"
import { sharedClock } from "./Machine.ts"
import { becomes, measuring, staged, stageOf, startCounting, takeCounts } from "./Operations.ts"
import type { Question, RunOrder, RunResult, SubjectOrder } from "./Protocol.ts"
import { messageOf, toolResult } from "./Work.ts"

const { counts = false, environment, role } = orderOf<SubjectOrder>()

if (counts) startCounting()

type Settled = "completed" | "asleep" | "failed"

const settled = new Map<TaskId, Settled>()
const waiting = new Map<TaskId, (how: Settled) => void>()
const commits: Array<readonly [id: string, at: number]> = []

const settle = ({ state, taskId, wake }: StepWrite) => {
  if (wake._tag === "Keep") return
  const how = state.status === "completed" ? "completed" : wake._tag === "After" ? "asleep" : "failed"
  const listener = waiting.get(taskId)
  if (listener === undefined) settled.set(taskId, how)
  else listener(how)
  waiting.delete(taskId)
}

const watched = Layer.effect(
  Journal,
  Effect.map(Journal, (journal) =>
    Journal.of({
      ...journal,
      append: (write) =>
        becomes("loop", Effect.tap(staged("journal", journal.append(write)), () => Effect.sync(() => settle(write))))
    }))
).pipe(Layer.provide(Journal.layer))

/** Records when the commit of an insert returned. */
const stamped = Layer.effect(
  PreparedStatements,
  Effect.map(PreparedStatements, (database) =>
    PreparedStatements.of({
      execute: (query) =>
        !query.name.startsWith("tasks_insert") ? database.execute(query) : Effect.tap(
          database.execute(query),
          (rows) =>
            Effect.sync(() => {
              const at = sharedClock()
              for (const row of rows) commits.push([String(row["id"]), at])
            })
        )
    }))
)

const counted = Layer.effect(
  PreparedStatements,
  Effect.map(PreparedStatements, (database) =>
    PreparedStatements.of({
      execute: (query) => {
        const stage = stageOf(query.name)
        const sent = database.execute(query)
        return stage === null ? sent : becomes(stage, sent)
      }
    }))
)

const GetData = Tool.make("get_data", {
  description: "Get a part of the data",
  parameters: { query: Schema.String, limit: Schema.optional(Schema.Number) }
})

const getData = implement(GetData, {
  changes: "nothing",
  timeout: "10 seconds",
  run: ({ query }) => Effect.succeed(toolResult(query))
})

/** The toolbox and the model of the measured tasks. */
const ports = Layer.merge(
  Layer.effect(
    Model,
    Effect.map(Model, (model) => ({
      ...model,
      choose: (name) =>
        measuring(chosen(model, name), (one) => ({
          ...one,
          generate: (request) => staged("model", one.generate(request))
        }))
    }))
  ),
  Layer.effect(
    Toolboxes,
    Effect.map(Toolboxes, (toolboxes) =>
      Toolboxes.of({
        open: (user) =>
          Effect.map(toolboxes.open(user), (box) => ({
            ...box,
            call: (call, context) => staged("tools", box.call(call, context))
          }))
      }))
  ).pipe(Layer.provide(Toolboxes.layer([getData, wait])))
)

const layer = Layer.unwrapEffect(Effect.map(Settings, (settings) => {
  const actors = Actors.layer(settings).pipe(Layer.provide([ports, watched]))
  const database = Database.layer(settings)
  return Layer.merge(
    role === "api" ? Layer.empty : actors,
    role === "worker" ? Layer.empty : Http.layer(settings)
  ).pipe(
    Layer.provide(Services.memories(settings)),
    Layer.provideMerge(Services.tasks(settings)),
    Layer.provide(Services.shared(settings)),
    Layer.provide(role === "api" ? Cluster.client(settings.cluster) : Cluster.alone(settings.cluster)),
    Layer.provide([Telemetry.layer(settings.log), OtlpTracing.layer(settings.tracing, { version: "bench" })]),
    Layer.provide(Layer.provideMerge(counts ? counted : stamped, database))
  )
})).pipe(
  Layer.provide([Settings.layerFrom(environment), NodeContext.layer])
)

const runtime = ManagedRuntime.make(layer)
const tasks = await runtime.runPromise(Tasks)

const submit = (task: number, owner: UserId) =>
  staged("submit", tasks.submit({ message: messageOf(task), user_id: owner }))

const end = (id: TaskId) =>
  Effect.async<Settled>((resume) => {
    const how = settled.get(id)
    if (how === undefined) return void waiting.set(id, (how) => resume(Effect.succeed(how)))
    settled.delete(id)
    resume(Effect.succeed(how))
  })

/** A closed loop: each client submits a task, waits until it has settled, and submits the next. */
const run = async ({ concurrency, from, owner = defaultUser, tasks: count, until }: RunOrder): Promise<RunResult> => {
  const latencies: Array<number> = []
  let errors = 0
  let firstError: string | null = null
  let next = 0
  let peak = 0
  const look = () => (peak = Math.max(peak, process.memoryUsage.rss()))
  const client = Effect.gen(function*() {
    while (next < count) {
      const before = performance.now()
      const { id } = yield* submit(from + next++, UserId.make(owner))
      const how = yield* end(id)
      latencies.push(performance.now() - before)
      if (how === until) continue
      errors += 1
      firstError ??= `task ${id} is ${how}`
    }
  })
  const timer = setInterval(look, 50)
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const cpu = process.cpuUsage()
  const start = performance.now()
  await runtime.runPromise(Effect.all(Array.from({ length: concurrency }, () => client), { concurrency: "unbounded" }))
  const seconds = (performance.now() - start) / 1e3
  const { system, user } = process.cpuUsage(cpu)
  clearInterval(timer)
  delays.disable()
  look()
  return {
    seconds,
    latencies,
    errors,
    firstError,
    cpuMillis: (user + system) / 1e3,
    peakMegabytes: peak / 1048576,
    longestStopMillis: delays.max / 1e6
  }
}

const answer = async (question: Question): Promise<object> => {
  switch (question.topic) {
    case "run":
      return run(question)
    case "heap": {
      await globalThis.gc?.({ execution: "async", type: "major" })
      await globalThis.gc?.({ execution: "async", type: "major" })
      const { heapUsed, rss } = process.memoryUsage()
      return { heap: heapUsed, resident: rss }
    }
    case "operations":
      return takeCounts()
    case "commits":
      return commits
    default:
      throw new Error(`A subject knows nothing of ${question.topic}`)
  }
}

answerQuestions(answer)
