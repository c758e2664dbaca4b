import type { TaskEvent } from "@troupe/api/TaskEvent"
import { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect, Layer, Option, PubSub, Stream, TestClock } from "effect"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import { LiveText } from "../../src/Task/Events/LiveText.ts"
import { makeTaskEvents } from "../../src/Task/Events/TaskEvents.ts"
import { TaskSignals } from "../../src/Task/Row/TaskSignals.ts"

const at = "2026-01-01T00:00:00.000Z"

/** A database in memory with the steps of some tasks. */
export const makeFixture = (origin: string | null = null) =>
  Effect.gen(function*() {
    const journal = new Map<TaskId, Array<Step>>()
    /** The names of the statements so far. */
    const sent: Array<string> = []
    /** Run once, before what the next read finds and after it. */
    const hooks = { beforeRead: Effect.void, afterRead: Effect.void }
    const texts = yield* PubSub.unbounded<string>()
    const listeners = { open: 0 }
    const listening = (text: Stream.Stream<string>) =>
      Stream.unwrapScoped(Effect.as(
        Effect.acquireRelease(Effect.sync(() => listeners.open++), () => Effect.sync(() => listeners.open--)),
        text
      ))
    const stepsAfter = (id: TaskId, after: number) =>
      (journal.get(id) ?? []).slice(after).map((step, index) => ({
        seq: after + index + 1,
        step: JSON.stringify(step)
      }))
    const answer = (ids: ReadonlyArray<TaskId>, after: ReadonlyArray<number>, limit: number) =>
      ids.flatMap((id, index) =>
        (journal.has(id) ? stepsAfter(id, after[index] ?? 0).slice(0, limit) : [{ seq: null }]).map((step) => ({
          task_id: id,
          at,
          ...step
        }))
      )
    const statements = Layer.succeed(PreparedStatements, {
      execute: ({ name, values: [ids, after, limit] }) =>
        Effect.suspend(() => {
          sent.push(name)
          const tasks = ids as ReadonlyArray<TaskId>
          if (name !== "watch_read") return Effect.succeed(tasks.map((task_id) => ({ task_id })))
          const { afterRead, beforeRead } = hooks
          Object.assign(hooks, { beforeRead: Effect.void, afterRead: Effect.void })
          return beforeRead.pipe(
            Effect.map(() => answer(tasks, after as ReadonlyArray<number>, Number(limit))),
            Effect.zipLeft(afterRead)
          )
        })
    })
    const signals = Layer.effect(TaskSignals, Effect.map(TaskSignals, (local) => ({ ...local, origin }))).pipe(
      Layer.provide(Layer.provide(TaskSignals.layer, Signals.layerLocal))
    )
    const context = yield* Layer.build(
      Layer.mergeAll(
        statements,
        signals,
        Layer.succeed(LiveText, { of: () => listening(Stream.fromPubSub(texts)) })
      )
    )
    const { ofOne } = yield* Effect.provide(makeTaskEvents, context)
    const { stepped } = yield* Effect.provide(TaskSignals, context)

    /** Watches until the scope closes or the stream ends; what it received is in the array. */
    const watch = (id: TaskId, after?: string, pace: Effect.Effect<void> = Effect.void) =>
      Effect.gen(function*() {
        const received: Array<TaskEvent> = []
        const fiber = yield* ofOne(id, { type: "task", after: Option.fromNullable(after), isOutline: false }).pipe(
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

export const idOf = (index: number) => TaskId.make(`00000000-0000-7000-8000-${String(index).padStart(12, "0")}`)

export const woken = (epoch: number): Step => ({ kind: "woken", epoch, reason: "resume", runner: "host:1" })

export const failed: Step = { kind: "failed", error: "Out of luck" }

/** The frames of steps that wake the task, by their ids. */
export const wokenIds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => [`${from + index}.0`, `${from + index}.1`]).flat()
