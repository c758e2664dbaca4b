import { defaultLimit } from "@troupe/api/Listing"
import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import type { TaskQuery } from "@troupe/api/TaskFilter"
import { defaultUser, TaskId } from "@troupe/domain/Ids"
import { type Task, TaskNotFound, TaskStateConflict } from "@troupe/domain/Task"
import { Effect, Layer, type Option, Stream } from "effect"
import { Agents } from "../../src/Agent/Definition/Agents.ts"
import { HealthChecks } from "../../src/Http/HealthChecks.ts"
import { Embeddings } from "../../src/Model/Embeddings.ts"
import { Model } from "../../src/Model/Model.ts"
import { offlineModel } from "../../src/Model/Offline.ts"
import { offlineEmbeddings } from "../../src/Model/OfflineEmbeddings.ts"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { SkillMatching } from "../../src/Skill/SkillMatching.ts"
import { SkillRequirements } from "../../src/Skill/SkillRequirements.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { type TaskRequest, Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { sampleTask } from "../support/Samples.ts"

export const idOf = (n: number) => TaskId.make(`00000000-0000-7000-8000-${String(n).padStart(12, "0")}`)

export const makeTask = (id: TaskId, request: Partial<TaskRequest> = {}): Task =>
  sampleTask({
    id,
    title: request.title ?? "A task",
    description: request.message ?? "",
    creator: request.user_id ?? defaultUser,
    assignee: request.assignee ?? null,
    attachments: request.attachments ?? []
  })

/** The fake use-cases: what a test reads of them, and what it sets. */
export interface Fakes {
  readonly submitted: Array<TaskRequest>
  submit: (request: TaskRequest) => ReturnType<Tasks["Type"]["submit"]>
  answer: Tasks["Type"]["answer"] | null
  /** Null: the tasks submitted. */
  list: ReturnType<Tasks["Type"]["list"]> | null
  events: (after: Option.Option<string>) => Stream.Stream<TaskEvent>
  allEvents: (after: Option.Option<string>) => Stream.Stream<AnyTaskEvent>
  /** What writes skills, and the folders they are in. */
  model: Model["Type"]
  skills: { readonly builtIn: string; readonly custom: string }
  agents: { readonly builtIn: string; readonly folder: string }
}

export const makeFakes = (): Fakes => {
  const submitted: Array<TaskRequest> = []
  return {
    submitted,
    submit: (request) =>
      Effect.sync(() => {
        submitted.push(request)
        return makeTask(idOf(submitted.length), request)
      }),
    answer: null,
    list: null,
    events: () => Stream.empty,
    allEvents: () => Stream.empty,
    model: offlineModel,
    skills: { builtIn: "/nowhere", custom: "/nowhere" },
    agents: { builtIn: "/nowhere", folder: "/nowhere" }
  }
}

/** Tasks that are kept in memory and never run. */
export const layerTasks = (fakes: Fakes) => {
  const find = (id: TaskId) =>
    Effect.suspend(() => {
      const request = fakes.submitted[Number(id.slice(-12)) - 1]
      return request === undefined ? Effect.fail(new TaskNotFound({ id })) : Effect.succeed(makeTask(id, request))
    })
  const conflict = (id: TaskId) =>
    Effect.flatMap(
      find(id),
      ({ status }) => Effect.fail(new TaskStateConflict({ id, status, wanted: "it waits for no answer" }))
    )
  const listed = ({ cursor, limit = defaultLimit }: Pick<TaskQuery, "cursor" | "limit">) =>
    Effect.sync(() => {
      const newestFirst = fakes.submitted.map((request, i) => makeTask(idOf(i + 1), request)).toReversed()
      const from = newestFirst.findIndex(({ id }) => id === cursor) + 1
      return { items: newestFirst.slice(from, from + limit), hasMore: newestFirst.length > from + limit }
    })
  return Layer.mock(Tasks, {
    largestIterations: () => 200,
    submit: (request) => fakes.submit(request),
    find,
    findWithoutLogs: find,
    list: (filter) => fakes.list === null ? listed(filter) : fakes.list,
    answer: (...given) => fakes.answer === null ? conflict(given[0]) : fakes.answer(...given),
    message: (id) => find(id),
    messageOnce: (id) => find(id),
    cancel: (id) => find(id),
    retry: conflict,
    events: (id, after) => Effect.as(find(id), fakes.events(after)),
    allEvents: (after) => Effect.sync(() => fakes.allEvents(after))
  })
}

/** Only what every request asks for. */
export const layerHealth = Layer.mock(HealthChecks, {
  database: Effect.succeed({ status: "ok" as const, detail: "It answers.", latency_ms: 1 })
})

export const layerAgents = ({ agents }: Fakes) =>
  Layer.provide(Agents.layer({ ...agents, refreshInterval: "1 hour" }), ScheduledJobs.layerMemory)

export const layerSkills = (fakes: Fakes) =>
  SkillMatching.layer({ threshold: 0.35, maxSkills: 3 }).pipe(
    Layer.provideMerge(Skills.layer({ ...fakes.skills, refreshInterval: "1 hour" })),
    Layer.provideMerge(SkillRequirements.layer),
    Layer.provide([ScheduledJobs.layerMemory, Layer.succeed(Embeddings, offlineEmbeddings)]),
    Layer.merge(Layer.succeed(Model, fakes.model))
  )
