import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { afterAll } from "@effect/vitest"
import { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import { createTroupe } from "@troupe/client"
import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { type TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { TaskNotFound } from "@troupe/domain/Task"
import { Chunk, Effect, Exit, Layer, Option, Schema, Scope, Stream } from "effect"
import { createParser, type EventSourceMessage } from "eventsource-parser"
import { Identity, withoutSeats } from "../../src/People/SignIn/Identity.ts"
import { TaskSignals } from "../../src/Task/Row/TaskSignals.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { makeFakes } from "../Http/Fakes.ts"
import { started } from "../Http/TestServer.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { call } from "../support/ScriptedModel.ts"
import { as } from "../support/Seats.ts"
import { Wire } from "../support/TaskWorld.ts"

export type Event = AnyTaskEvent | TaskEvent

/** The events of a task, or without one of all tasks, that came after one of them, for a member of the team. */
export type Watch = (
  id: TaskId | null,
  after?: string,
  member?: Caller
) => Stream.Stream<Event, unknown, Tasks | Wire>

/** A token is the name of a member; without one the caller is the user of a self-hosted service. */
const identity = Layer.succeed(Identity, {
  ...withoutSeats,
  authenticate: ({ headers }) =>
    Effect.succeed(
      headers["authorization"] === undefined
        ? selfHostedCaller
        : { id: UserId.make(headers["authorization"].slice("Bearer ".length)), role: "member" as const }
    )
})

/** The tasks of the world over HTTP, until the scope closes. */
export const served = (settings: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(
    Tasks,
    (tasks) => Effect.orDie(started(makeFakes(), settings, Layer.merge(Layer.succeed(Tasks, tasks), identity)))
  )

const decode = Schema.decodeUnknown(Schema.Union(AnyTaskEvent, TaskEvent))

const eventOf = (name: string | undefined, id: string | undefined, text: string) => {
  const { task_id, ...data } = JSON.parse(text)
  const content = name === "log" ? { entry: data } : name === "usage" ? { usage: data } : data
  return decode({
    _tag: name,
    ...(id === undefined ? {} : { id }),
    ...(task_id === undefined ? {} : { task_id }),
    ...content
  })
}

const overHttp = (port: Effect.Effect<number, never, Tasks>): Watch => (id, after, member) =>
  Stream.suspend(() => {
    const frames: Array<EventSourceMessage> = []
    const parser = createParser({ onEvent: (frame) => frames.push(frame) })
    return port.pipe(
      Effect.flatMap((port) =>
        HttpClient.get(`http://127.0.0.1:${port}${id === null ? "/events" : `/task/${id}/events`}`, {
          headers: { "last-event-id": after, authorization: member === undefined ? undefined : `Bearer ${member.id}` }
        })
      ),
      Effect.filterOrFail(({ status }) => status !== 404, () => new TaskNotFound({ id: String(id) })),
      Effect.map(({ status, stream }) => status === 200 ? stream : Stream.die(`The service answered ${status}`)),
      Stream.unwrap,
      Stream.decodeText(),
      Stream.mapConcat((text) => {
        parser.feed(text)
        return frames.splice(0)
      }),
      Stream.mapEffect(({ data, event, id }) => eventOf(event, id, data)),
      Stream.provideSomeLayer(NodeHttpClient.layerUndici)
    )
  })

export const clientAt = (port: Effect.Effect<number, never, Tasks>): Watch => (id, after, member) =>
  Stream.unwrap(Effect.map(port, (port) => {
    const troupe = createTroupe({
      url: `http://127.0.0.1:${port}`,
      ...(member === undefined ? {} : { token: member.id })
    })
    return Stream.async<unknown, unknown>((emit) => {
      const stop = new AbortController()
      const options = { signal: stop.signal, ...(after === undefined ? {} : { after }) }
      const read = async () => {
        const events = id === null ? troupe.watchAll(options) : troupe.watch(id, options)
        for await (const event of events) await emit.single(event)
        await emit.end()
      }
      read().catch((error: unknown) => emit.fail(error))
      return Effect.sync(() => stop.abort())
    }, 1)
  })).pipe(Stream.mapEffect((event) => decode(event)))

export const byService: Watch = (id, after, member) => {
  const from = Option.fromNullable(after)
  const events = Effect.flatMap(
    Tasks,
    (tasks): Effect.Effect<Stream.Stream<Event>, TaskNotFound> =>
      id === null ? tasks.allEvents(from) : tasks.events(id, from)
  )
  return Stream.unwrap(member === undefined ? events : as(member)(events))
}

/** The same streams, as the service, its API and the promise client have them; one server until the file ends. */
export const makeSources = (): ReadonlyArray<readonly [name: string, watch: Watch]> => {
  const scope = Effect.runSync(Scope.make())
  const port = Effect.runSync(Effect.cached(Scope.extend(served(), scope)))
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return [["of the service", byService], ["over HTTP", overHttp(port)], ["of the client", clientAt(port)]]
}

export const collected = (events: ReturnType<Watch>, count = Number.MAX_SAFE_INTEGER) =>
  Effect.map(Stream.runCollect(Stream.take(events, count)), Chunk.toReadonlyArray)

/** Reads on until the stream or the test ends; `pace` is run before each event. */
export const reading = (events: ReturnType<Watch>, pace: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function*() {
    const seen: Array<Event> = []
    const fiber = yield* Effect.forkScoped(
      Stream.runForEach(events, (event) => Effect.zipRight(pace, Effect.sync(() => seen.push(event))))
    )
    return {
      seen,
      fiber,
      until: (fits: (seen: ReadonlyArray<Event>) => boolean) => eventually(Effect.sync(() => [...seen]), fits)
    }
  })

/** The id of the stream of all tasks before any event. */
export const beginning = "0"

export const idOf = (event: Event): string => event._tag === "text" ? "" : event.id

/** The statuses of a task, in a stream of it or of all tasks. */
export const statuses = (events: ReadonlyArray<Event>, id: TaskId) =>
  events.flatMap((event) =>
    event._tag === "status" && (!("task_id" in event) || event.task_id === id) ? [event.status] : []
  )

export const errors = (events: ReadonlyArray<Event>) =>
  events.flatMap((event) => event._tag === "status" && event.error !== null ? [event.error] : [])

/** Appends steps past the journal, with its signal. */
export const append = (id: TaskId, after: number, steps: ReadonlyArray<Step>) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `with added as (
         insert into steps (task_id, seq, body)
         select $1, $2 + n, body from unnest($3::text[]) with ordinality as s(body, n) returning seq
       )
       update actors set seq = (select max(seq) from added), status = case when $4 then 'completed' else status end,
         wake_at = case when $4 then null else wake_at end
       where task_id = $1`,
      [id, after, steps.map((step) => JSON.stringify(step)), steps.at(-1) === life.at(-1)]
    )).pipe(Effect.zipRight(Effect.map(TaskSignals, (signals) => signals.stepped([id]))))

export const model = (content: string, ...calls: ReadonlyArray<string>): Step => ({
  kind: "model",
  message: { role: "assistant", content, tool_calls: calls.map((id) => call(id, "look")) },
  tokens: [10, 5],
  millis: 1,
  ...(calls.length === 0 ? { end: "answered" as const } : {})
})

const results = (...ids: ReadonlyArray<string>): Step => ({
  kind: "results",
  results: ids.map((id) => ({
    message: { role: "tool", tool_call_id: ToolCallId.make(id), name: "look", content: `result ${id}` },
    millis: 1
  }))
})

export const woken = { kind: "woken", epoch: 1, reason: "first", runner: "host:1" } satisfies Step

/** A life with everything in it: a failure and its retry in the middle, and an answer at the end. */
export const life: ReadonlyArray<Step> = [
  woken,
  model("I look.", "a", "b", "c"),
  { kind: "started", calls: [ToolCallId.make("b")] },
  results("b"),
  results("a", "c"),
  { kind: "crashed", reason: "a bug", retryAt: 1 },
  { ...woken, epoch: 2, reason: "recovery" },
  { kind: "failed", error: "Out of luck" },
  { kind: "retried" },
  { ...woken, epoch: 3, reason: "retry" },
  { kind: "answered", by: null },
  model("", "d"),
  results("d"),
  model("It is 42.")
]

export const lifeStatuses = ["pending", "running", "running", "failed", "pending", "running", "running", "completed"]

export const givenLife = Effect.tap(givenTask(), (id) => append(id, 0, life))
