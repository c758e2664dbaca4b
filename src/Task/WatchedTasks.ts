import type { TaskId } from "@troupe/domain/Ids"
import { Array, Clock, Effect, Fiber, PubSub, RcMap, Schema, type Scope, Stream } from "effect"
import { PreparedStatements, type Row } from "../Runtime/PreparedStatements.ts"
import { LiveText } from "./LiveText.ts"
import { type FramedStep, frameSteps, type Progress } from "./TaskFrames.ts"
import { TaskSignals } from "./TaskSignals.ts"
import { StepRow } from "./TaskView.ts"
import { announce, findPositions, maxStepsRead, readSteps } from "./WatchStatements.ts"

/** What the watchers of a task receive. `after` is the last step before it: whoever is not there yet missed some. */
export type News =
  | { readonly _tag: "Steps"; readonly after: number; readonly steps: ReadonlyArray<FramedStep> }
  | { readonly _tag: "Text"; readonly after: number; readonly delta: string }
  | { readonly _tag: "Removed" }

/** A task that at least one stream of this process watches. */
export interface WatchedTask {
  readonly id: TaskId
  readonly news: PubSub.PubSub<News>
  /** How far it is read here; null until a watcher has read its past. */
  progress: Progress | null
  /** When the other processes are next asked to notify of its steps. */
  announceAt: number
}

/**
 * The watched tasks of this process and the one reader for all of them: a task is read once, however many streams watch
 * it, and a signal or a poll costs the same number of statements, however many tasks are watched.
 */
export interface WatchedTasks {
  /** The watched task, until the scope closes. */
  readonly watch: (id: TaskId) => Effect.Effect<WatchedTask, never, Scope.Scope>
  /** Tells how far a watcher has read: the reader goes on from there if it has not begun yet. */
  readonly begin: (task: WatchedTask, progress: Progress) => void
}

/** How often the database is asked by itself; signals make it sooner. */
const pollInterval = "2 seconds"

/** News that a slow watcher may have before it; the oldest are dropped, and it reads the database again. */
const maxNews = 64

/** Tasks in one statement. */
const maxRead = 64
const maxPolled = 1000
const maxAnnounced = 250

/** An announcement holds for two minutes. */
const announceEvery = 60_000

export const makeWatchedTasks: Effect.Effect<
  WatchedTasks,
  never,
  LiveText | PreparedStatements | Scope.Scope | TaskSignals
> = Effect.gen(function*() {
  const { execute } = yield* PreparedStatements
  const signals = yield* TaskSignals
  const liveText = yield* LiveText
  const watched = new Map<TaskId, WatchedTask>()
  const stale = new Set<WatchedTask>()
  const toRead = yield* Effect.makeLatch(false)
  const toPoll = yield* Effect.makeLatch(false)
  const toAnnounce = yield* Effect.makeLatch(false)

  const read = (task: WatchedTask) => {
    stale.add(task)
    if (task.progress !== null) toRead.unsafeOpen()
  }

  const publish = (task: WatchedTask, news: News) => PubSub.publish(task.news, news)

  const publishSteps = (task: WatchedTask, rows: ReadonlyArray<Row>): Effect.Effect<void> =>
    Effect.matchEffect(decodeSteps(rows), {
      // Watchers that come back read it for themselves, and fail with the reason.
      onFailure: () => publish(task, { _tag: "Removed" }),
      onSuccess: (read) => {
        const { progress } = task
        if (progress === null) return Effect.void
        const steps = frameSteps(progress, read)
        task.progress = steps.at(-1)?.progress ?? progress
        return publish(task, { _tag: "Steps", after: progress.seq, steps })
      }
    })

  const removed = (tasks: ReadonlyArray<WatchedTask>) =>
    Effect.forEach(tasks, (task) => publish(task, { _tag: "Removed" }), { discard: true })

  const positionsOf = (tasks: ReadonlyArray<WatchedTask>) =>
    Effect.map(
      execute(findPositions, [tasks.map(({ id }) => id)]),
      (rows) => new Map(rows.map((row) => [row["task_id"], Number(row["seq"])]))
    )

  const readStale = Effect.suspend(() => {
    const ready = [...stale].filter(({ progress }) => progress !== null)
    const tasks = ready.slice(0, maxRead)
    for (const task of tasks) stale.delete(task)
    if (tasks.length === ready.length) toRead.unsafeClose()
    return tasks.length === 0 ? Effect.void : Effect.gen(function*() {
      const rows = yield* execute(readSteps, [
        tasks.map(({ id }) => id),
        tasks.map(({ progress }) => progress?.seq ?? 0)
      ])
      const byTask = Array.groupBy(rows, (row) => String(row["task_id"]))
      const without: Array<WatchedTask> = []
      for (const task of tasks) {
        const ofTask = byTask[task.id]
        if (ofTask === undefined) without.push(task)
        else yield* publishSteps(task, ofTask)
        if (ofTask?.length === maxStepsRead) read(task)
      }
      if (without.length === 0) return
      const positions = yield* positionsOf(without)
      yield* removed(without.filter(({ id }) => !positions.has(id)))
    }).pipe(Effect.tapErrorCause(() => Effect.sync(() => tasks.forEach(read))))
  })

  const poll = Effect.suspend(() => {
    toPoll.unsafeClose()
    return Effect.forEach(
      Array.chunksOf([...watched.values()], maxPolled),
      (tasks) =>
        Effect.flatMap(positionsOf(tasks), (positions) => {
          for (const task of tasks) if ((positions.get(task.id) ?? 0) > (task.progress?.seq ?? Infinity)) read(task)
          return removed(tasks.filter(({ id }) => !positions.has(id)))
        }),
      { discard: true }
    )
  })

  const announceDue = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    toAnnounce.unsafeClose()
    const due = [...watched.values()].filter(({ announceAt }) => announceAt <= now)
    return Effect.forEach(
      Array.chunksOf(due.map(({ id }) => id), maxAnnounced),
      (ids) =>
        Effect.map(execute(announce, [ids]), (rows) => {
          for (const row of rows) {
            const task = watched.get(row["task_id"] as TaskId)
            if (task !== undefined) task.announceAt = now + announceEvery
          }
        }),
      { discard: true }
    )
  })

  const repeatedly = (work: Effect.Effect<void, unknown>, next: Effect.Effect<unknown>) =>
    Effect.catchAllCause(
      work,
      (cause) =>
        Effect.zipRight(
          Effect.logWarning("Reading watched tasks failed; next attempt in 1 s", cause),
          Effect.sleep("1 second")
        )
    ).pipe(Effect.zipRight(next), Effect.forever, Effect.forkScoped)
  const orAfterInterval = Effect.timeoutOption(pollInterval)

  yield* repeatedly(readStale, toRead.await)
  yield* repeatedly(poll, orAfterInterval(toPoll.await))
  // Signals of this process need no announcement.
  if (signals.origin !== null) yield* repeatedly(announceDue, orAfterInterval(toAnnounce.await))

  yield* signals.steps.pipe(
    Stream.runForEach((stepped) =>
      Effect.sync(() => {
        if (stepped === null) return toPoll.unsafeOpen()
        for (const id of stepped) {
          const task = watched.get(id)
          if (task !== undefined) read(task)
        }
      })
    ),
    Effect.forkScoped
  )

  const open = (id: TaskId) =>
    Effect.gen(function*() {
      const news = yield* PubSub.sliding<News>(maxNews)
      const task: WatchedTask = { id, news, progress: null, announceAt: 0 }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          watched.set(id, task)
          toAnnounce.unsafeOpen()
        }),
        () =>
          Effect.sync(() => {
            stale.delete(task)
            // By then a new watcher may have opened it again.
            if (watched.get(id) === task) watched.delete(id)
          })
      )
      const text = Stream.runForEach(liveText.of(id), (delta) =>
        publish(task, { _tag: "Text", after: task.progress?.seq ?? 0, delta }))
      // Ending a call to another runner may take seconds: neither the last watcher nor the shutdown waits for it.
      yield* Effect.acquireRelease(Effect.forkDaemon(text), Fiber.interruptFork)
      return task
    })
  const tasks = yield* RcMap.make({ lookup: open })

  return {
    watch: (id) => RcMap.get(tasks, id),
    begin: (task, progress) => {
      task.progress ??= progress
      if (stale.has(task)) toRead.unsafeOpen()
    }
  }
})

const decodeRows = Schema.decodeUnknown(Schema.Array(StepRow))

const decodeSteps = (rows: ReadonlyArray<Row>) =>
  Effect.map(decodeRows(rows), (steps) => steps.map(({ at, body, seq }) => ({ at, seq, step: body })))
