import type { TaskEvent } from "@troupe/api/TaskEvent"
import type { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect, Layer, Option, PubSub, Stream, TestClock } from "effect"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { LiveText } from "../../src/Task/Actor/LiveText.ts"
import { TaskEvents } from "../../src/Task/Events/TaskEvents.ts"
import { parsePosition } from "../../src/Task/Events/TaskFrames.ts"
import { TaskSignals } from "../../src/Task/Events/TaskSignals.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"

const at = "2026-01-01T00:00:00.000Z"

/** A database in memory with the steps of some tasks. */
export const makeFixture = (origin: string | null = null) =>
  Effect.gen(function*() {
    const journal = new Map<TaskId, Array<Step>>()
    /** The names of the statements so far. */
    const sent: Array<string> = []
    /** Runs before the answer to a read of a stream's own past. */
    const hooks = { beforePast: Effect.void }
    const texts = yield* PubSub.unbounded<string>()
    const listeners = { open: 0 }
    const listening = (text: Stream.Stream<string>) =>
      Stream.unwrapScoped(Effect.as(
        Effect.acquireRelease(Effect.sync(() => listeners.open++), () => Effect.sync(() => listeners.open--)),
        text
      ))
    const stepsAfter = (id: TaskId, after: number) =>
      (journal.get(id) ?? []).map((step, index) => ({ seq: index + 1, at, step })).slice(after)
    const answer = (name: string, ids: ReadonlyArray<TaskId>, after: ReadonlyArray<number>) =>
      name === "watch_read_steps"
        ? ids.flatMap((id, index) =>
          stepsAfter(id, after[index] ?? 0).map(({ seq, step }) => ({
            task_id: id,
            seq,
            at,
            step: JSON.stringify(step)
          }))
        )
        : ids.flatMap((id, index) => {
          const seq = journal.get(id)?.length ?? null
          return seq === after[index] ? [] : [{ task_id: id, seq }]
        })
    const statements = Layer.succeed(PreparedStatements, {
      execute: ({ name }, [ids, after]) =>
        Effect.sync(() => {
          sent.push(name)
          return answer(name, ids as ReadonlyArray<TaskId>, (after ?? []) as ReadonlyArray<number>)
        })
    })
    const past = Layer.mock(Journal, {
      read: (id, after) => Effect.zipRight(hooks.beforePast, Effect.sync(() => stepsAfter(id, after)))
    })
    const signals = Layer.effect(TaskSignals, Effect.map(TaskSignals, (local) => ({ ...local, origin }))).pipe(
      Layer.provide(TaskSignals.layerLocal)
    )
    const context = yield* Layer.build(
      TaskEvents.layer.pipe(
        Layer.provide([statements, past, Layer.succeed(LiveText, { of: () => listening(Stream.fromPubSub(texts)) })]),
        Layer.provideMerge(signals)
      )
    )
    const events = yield* Effect.provide(TaskEvents, context)
    const { stepped } = yield* Effect.provide(TaskSignals, context)

    /** Watches until the scope closes or the stream ends; what it received is in the array. */
    const watch = (id: TaskId, after?: string, pace: Effect.Effect<void> = Effect.void) =>
      Effect.gen(function*() {
        const received: Array<TaskEvent> = []
        const fiber = yield* events.watch(id, {
          type: "task",
          after: Option.flatMap(Option.fromNullable(after), parsePosition),
          isOver: false,
          isOutline: false
        }).pipe(
          Stream.runForEach((event) => Effect.zipRight(pace, Effect.sync(() => received.push(event)))),
          Effect.forkScoped
        )
        yield* settled
        return { fiber, received, ids: () => received.flatMap((event) => "id" in event ? [event.id] : []) }
      })

    /** Journals steps; `tell` says whether a signal comes with them. */
    const step = (id: TaskId, steps: ReadonlyArray<Step>, tell = true) =>
      Effect.suspend(() => {
        journal.set(id, [...journal.get(id) ?? [], ...steps])
        if (tell) stepped([id])
        return settled
      })
    return { journal, sent, hooks, listeners, texts, watch, step }
  })

/** Everything that can go on without time passing has gone on. */
export const settled = Effect.yieldNow().pipe(Effect.repeatN(50), Effect.zipRight(TestClock.adjust(0)))
