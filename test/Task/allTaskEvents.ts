import type { AnyTaskEvent } from "@troupe/api/TaskEvent"
import type { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Chunk, Effect, Option, Stream } from "effect"
import { AllTaskEvents } from "../../src/Task/Events/AllTaskEvents.ts"
import { parseResumePoint } from "../../src/Task/Events/EventPosition.ts"
import { eventually } from "../support/Eventually.ts"
import { Wire } from "../support/TaskWorld.ts"

const eventsAfter = (after?: string) =>
  Stream.unwrap(
    Effect.map(AllTaskEvents, ({ watch }) => watch(Option.flatMap(Option.fromNullable(after), parseResumePoint), null))
  )

export const collected = (count: number, after: string) =>
  Effect.map(Stream.runCollect(Stream.take(eventsAfter(after), count)), Chunk.toReadonlyArray)

/** Reads on until the test ends. */
export const watched = (after?: string) =>
  Effect.gen(function*() {
    const events: Array<AnyTaskEvent> = []
    yield* Effect.forkScoped(Stream.runForEach(eventsAfter(after), (event) => Effect.sync(() => events.push(event))))
    const until = (fits: (events: ReadonlyArray<AnyTaskEvent>) => boolean) =>
      eventually(Effect.sync(() => [...events]), fits, "20 seconds")
    if (after === undefined) yield* until(([first]) => first?._tag === "position")
    return { events, until }
  })

export const statuses = (events: ReadonlyArray<AnyTaskEvent>, id: TaskId) =>
  events.flatMap((event) => event._tag === "status" && event.task_id === id ? [event.status] : [])

export const failed = (error: string): Step => ({ kind: "failed", error })

export const bodyOf = (step: Step) => JSON.stringify(step)

/** Steps that another process writes, so that no signal comes with them. */
export const write = (id: TaskId, seq: number, step: Step, xact: string | null = null) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `insert into steps (task_id, seq, body, xact_id) values ($1, $2, $3, coalesce($4::xid8, pg_current_xact_id()))`,
      [id, seq, bodyOf(step), xact]
    ))

export const written = <R extends object>(sql: string, ...values: ReadonlyArray<unknown>) =>
  Effect.flatMap(Wire, ({ query }) => query<R>(sql, values))

/** Waits until all that is committed can be read: until then it counts as new, and other tests have transactions too. */
export const settled = Effect.gen(function*() {
  const [now] = yield* written<{ id: string }>("select pg_current_xact_id()::text as id")
  yield* eventually(
    written<{ over: boolean }>("select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as over", now?.id),
    ([row]) => row?.over === true,
    "20 seconds"
  )
})

/** Waits until the reader has read twice more: what it could read by now it has. */
export const readAgain = Effect.flatMap(Wire, ({ sent }) => {
  const reads = () => sent.filter(({ name }) => name === "events_read").length
  const before = reads()
  return eventually(Effect.sync(reads), (count) => count >= before + 2)
})
