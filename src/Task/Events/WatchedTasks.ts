import type { TaskId } from "@troupe/domain/Ids"
import { Array, Clock, Effect, Fiber, Option, PubSub, RcMap, Schema, Stream } from "effect"
import { type Prepared, PreparedStatements, type Row } from "../../Runtime/Database/PreparedStatements.ts"
import { stepColumns, StepRow } from "../Row/TaskRow.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { LiveText } from "./LiveText.ts"
import { type FramedStep, frameSteps, type Progress } from "./TaskFrames.ts"

/** What the watchers of a task receive. `after` is the step before it: a watcher behind that has missed some. */
export type News =
  | { readonly _tag: "Steps"; readonly after: number; readonly steps: ReadonlyArray<FramedStep> }
  | { readonly _tag: "Text"; readonly after: number; readonly delta: string }
  | { readonly _tag: "Removed" }

export interface WatchedTask {
  readonly id: TaskId
  readonly news: PubSub.PubSub<News>
  progress: Progress | null
  announceAt: number
  text: Fiber.Fiber<void> | null
}

const pollInterval = "2 seconds"

/** Buffer of a slow watcher; the oldest entries are dropped, and it reads the database again. */
const maxNews = 64

const maxRead = 64
const maxPolled = 1000
const maxAnnounced = 250

/** An announcement holds for two minutes. */
const announceEvery = 60_000

/** The watched tasks and their one reader: a task is read once for all of its streams. */
export const makeWatchedTasks = Effect.gen(function*() {
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
      // Watchers that reconnect read the steps themselves, and fail with the reason.
      onFailure: () => publish(task, { _tag: "Removed" }),
      onSuccess: (read) => {
        const { progress } = task
        if (progress === null) return Effect.void
        const steps = frameSteps(progress, read)
        task.progress = steps.at(-1)?.progress ?? progress
        return Effect.zipRight(publish(task, { _tag: "Steps", after: progress.seq, steps }), followText(task))
      }
    })

  const textOf = (task: WatchedTask) =>
    Stream.runForEach(
      liveText.of(task.id),
      (delta) => publish(task, { _tag: "Text", after: task.progress?.seq ?? 0, delta })
    )

  /** Follows the actor only while the task is pending or runs: a call to an actor creates one. */
  const followText = (task: WatchedTask): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { text } = task
      const status = task.progress?.status
      const listens = watched.get(task.id) === task && (status === "pending" || status === "running")
      if (listens === (text !== null)) return Effect.void
      if (listens) return Effect.map(Effect.forkDaemon(textOf(task)), (fiber) => void (task.text = fiber))
      task.text = null
      // Ending a call to another runner may take seconds, so neither the last watcher nor the shutdown waits for it.
      return text === null ? Effect.void : Fiber.interruptFork(text)
    })

  const findSteps = (tasks: ReadonlyArray<WatchedTask>) =>
    Effect.flatMap(
      execute(findMoved, [tasks.map(({ id }) => id), tasks.map(({ progress }) => progress?.seq ?? 0)]),
      (rows) => {
        const moved = Array.filterMap(rows, ({ seq, task_id }) => {
          const task = watched.get(task_id as TaskId)
          return task === undefined ? Option.none() : Option.some({ task, seq })
        })
        return Effect.as(
          Effect.forEach(moved, ({ seq, task }) => seq === null ? publish(task, { _tag: "Removed" }) : Effect.void, {
            discard: true
          }),
          moved.flatMap(({ seq, task }) => task.progress !== null && Number(seq) > task.progress.seq ? [task] : [])
        )
      }
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
      if (without.length > 0) yield* findSteps(without)
    }).pipe(Effect.tapErrorCause(() => Effect.sync(() => tasks.forEach(read))))
  })

  const poll = Effect.suspend(() => {
    toPoll.unsafeClose()
    return Effect.forEach(
      Array.chunksOf([...watched.values()], maxPolled),
      (tasks) => Effect.map(findSteps(tasks), (moved) => moved.forEach(read)),
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
  yield* repeatedly(announceDue, orAfterInterval(toAnnounce.await))

  yield* signals.onStepped((stepped) => {
    if (stepped === null) return void toPoll.unsafeOpen()
    for (const id of stepped) {
      const task = watched.get(id)
      if (task !== undefined) read(task)
    }
  })

  const open = (id: TaskId) =>
    Effect.gen(function*() {
      const news = yield* PubSub.sliding<News>(maxNews)
      const task: WatchedTask = { id, news, progress: null, announceAt: 0, text: null }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          watched.set(id, task)
          toAnnounce.unsafeOpen()
        }),
        () =>
          Effect.suspend(() => {
            stale.delete(task)
            // A new watcher may have opened it again.
            if (watched.get(id) === task) watched.delete(id)
            task.progress = null
            return followText(task)
          })
      )
      return task
    })
  const tasks = yield* RcMap.make({ lookup: open })

  return {
    watch: (id: TaskId) => RcMap.get(tasks, id),
    begin: (task: WatchedTask, progress: Progress) =>
      Effect.suspend(() => {
        task.progress ??= progress
        if (stale.has(task)) toRead.unsafeOpen()
        return followText(task)
      })
  }
})

const decodeSteps = Schema.decodeUnknown(Schema.Array(StepRow))

const maxStepsRead = 256

/** The steps of each task ($1) after the number beside it ($2), of all of them in one statement. */
const readSteps: Prepared = {
  name: "watch_read_steps",
  text: `select task_id::text, ${stepColumns}
from unnest($1::uuid[], $2::integer[]) as w(id, after), lateral (
  select task_id, seq, at, body from steps where task_id = w.id and seq > w.after order by seq limit ${maxStepsRead}
) s
order by s.task_id, s.seq`
}

/** Those of the tasks ($1) whose last step is another than the number beside it ($2); null for one that is removed. */
const findMoved: Prepared = {
  name: "watch_find_moved",
  text: `select w.id::text as task_id, a.seq
from unnest($1::uuid[], $2::integer[]) as w(id, seq) left join actors a on a.task_id = w.id
where a.seq is distinct from w.seq`
}

/**
 * These tasks count as watched for two minutes: each step is notified to other processes, and a run that begins streams
 * the model's text. Locked rows are skipped, so that no writer waits.
 */
const announce: Prepared = {
  name: "watch_announce",
  text: `with free as materialized (
  select task_id from actors where task_id = any($1::uuid[]) order by task_id for no key update skip locked
)
update actors a set watched_until = now() + interval '2 minutes'
from free where a.task_id = free.task_id
returning a.task_id::text`
}
