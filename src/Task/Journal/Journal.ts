import type { SqlError } from "@effect/sql/SqlError"
import type { Interrupted } from "@troupe/domain/FaultStep"
import type { TaskId } from "@troupe/domain/Ids"
import type { Run } from "@troupe/domain/Run"
import type { JournalledStep } from "@troupe/domain/Step"
import { stepText } from "@troupe/domain/StepText"
import { Cause, Context, Data, Effect, Exit, FiberRef, Layer, Schedule, Schema } from "effect"
import type { Audience } from "../../Delivery/Audience.ts"
import * as GroupCommit from "../../Runtime/Database/GroupCommit.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { isRefusal, isUnavailable } from "../../Runtime/Database/Sql.ts"
import { inSpan, retryLater } from "../../Runtime/HotPath.ts"
import { stopwatch } from "../../Runtime/Telemetry/Metrics.ts"
import { actorsFenced, commitSeconds, groupSteps, journalled } from "../Row/TaskMetrics.ts"
import { stepColumns, StepRow } from "../Row/TaskRow.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import {
  append as appendSteps,
  appendAndAct,
  appendAndTell,
  audience,
  interrupted,
  unread
} from "./JournalStatements.ts"
import { type EncodedWrite, encodeWrite, type StepWrite } from "./StepWrite.ts"

/** The write changed nothing, because the row has another epoch or step number. The writer ends without a log. */
export class Fenced extends Data.TaggedError("Fenced")<{ readonly taskId: TaskId }> {}

/** The database refused the step, or was unavailable for longer than the journal waits. */
export class JournalFailed extends Data.TaggedError("JournalFailed")<{ readonly cause: SqlError }> {
  get isRefusal(): boolean {
    return isRefusal(this.cause)
  }
}

export interface Appended {
  /** False only for a step that completes its task while commands wait that the writer has not read. */
  readonly isWritten: boolean
  readonly inboxSent: number
}

export interface CutCall {
  readonly taskId: TaskId
  readonly epoch: number
  readonly seq: number
  readonly step: Interrupted
  readonly run: Run
}

/**
 * One statement writes the step, the actor row and the step's notifications. Concurrent steps share a statement; each
 * caller continues after its commit. A write waits up to 30 s for an unavailable database.
 */
export class Journal extends Context.Tag("troupe/Task/Journal/Journal")<Journal, {
  readonly append: (write: StepWrite) => Effect.Effect<Appended, Fenced | JournalFailed>
  /** After step `seq` of an interrupted run, or after the cancel that interrupted it; otherwise it changes nothing. */
  readonly interrupted: (cut: CutCall) => Effect.Effect<void>
  readonly read: (taskId: TaskId, after: number) => Effect.Effect<ReadonlyArray<JournalledStep>>
}>() {
  static readonly layer: Layer.Layer<Journal, never, PreparedStatements | TaskSignals> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const database = yield* PreparedStatements
      const signals = yield* TaskSignals
      const isTracing = yield* FiberRef.get(FiberRef.currentTracerEnabled)

      const write = (writes: ReadonlyArray<EncodedWrite>) => {
        const statement = writes.some(({ acts }) => acts)
          ? appendAndAct
          : writes.some(({ tells }) => tells)
          ? appendAndTell
          : appendSteps
        // Sorted, so that two writers of the same rows do not deadlock.
        const ordered = writes.toSorted((one, other) => one.taskId < other.taskId ? -1 : 1)
        const json = `[${ordered.map((entry) => entry.json).join(",")}]`
        const elapsed = stopwatch()
        let tries = 0
        const attempt = Effect.suspend(() =>
          database.execute(statement({ steps: json, origin: signals.origin, isRetry: ++tries > 1 }))
        )
        return Effect.map(retryLater(attempt, outage), (rows) => {
          commitSeconds(elapsed())
          groupSteps(writes.length)
          const moved = new Map(rows.map((row) => [row["task_id"], row["inbox_sent"] as number]))
          const shards = rows.flatMap(({ shard }) => typeof shard === "number" ? [shard] : [])
          if (shards.length > 0) signals.wake(shards)
          signals.stepped(writes.flatMap((entry) => (moved.has(entry.taskId) ? [entry.taskId] : [])))
          return writes.map((entry) => moved.get(entry.taskId) ?? null)
        })
      }
      const commits = GroupCommit.make({
        write,
        maxGroup,
        maxWeight: maxBytes,
        weigh: ({ json }: EncodedWrite) => json.length,
        writers: 1,
        isRefusal
      })
      const steps = yield* commits
      // A statement can change a row only once, so the end of a subtask and a step of its parent must not share one.
      const ends = yield* commits

      /** The count of commands that kept a completing step from being written; fails where the writer was fenced out. */
      const refused = Effect.fnUntraced(function*({ epoch, inboxSeen, seq, state, taskId }: StepWrite) {
        const rows = state.status === "completed"
          ? yield* Effect.mapError(
            database.execute(unread({ task: taskId, epoch, seq, inboxSeen })),
            (cause) => new JournalFailed({ cause })
          )
          : []
        if (rows[0] !== undefined) return { isWritten: false, inboxSent: rows[0]["inbox_sent"] as number }
        actorsFenced(1)
        return yield* new Fenced({ taskId })
      })

      /** Appends it for those whom it may notify now, if that has changed since the claim. */
      const forOthers = (entry: StepWrite): Effect.Effect<Appended, Fenced | JournalFailed> =>
        database.execute(audience({
          task: entry.taskId,
          epoch: entry.epoch,
          seq: entry.seq,
          audience: JSON.stringify(entry.audience)
        })).pipe(
          Effect.mapError((cause) => new JournalFailed({ cause })),
          Effect.flatMap(([row]) =>
            row === undefined ? refused(entry) : append({ ...entry, audience: row["audience"] as Audience })
          )
        )

      const append = (entry: StepWrite): Effect.Effect<Appended, Fenced | JournalFailed> =>
        Effect.async<Appended, Fenced | JournalFailed>((resume) => {
          const encoded = encodeWrite(entry)
          const group = encoded.endsSubtask ? ends : steps
          group.submit(encoded, (exit) => {
            if (Exit.isFailure(exit)) {
              return resume(Exit.failCause(Cause.map(exit.cause, (cause) => new JournalFailed({ cause }))))
            }
            if (exit.value === null) return resume(encoded.notifies ? forOthers(entry) : refused(entry))
            const { state, step, wake } = entry
            journalled(step.kind, state.status, wake._tag !== "Keep" && step.kind !== "crashed")
            if (entry.state.type === "task" && entry.state.status === "completed") signals.completed(entry.taskId)
            resume(Exit.succeed({ isWritten: true, inboxSent: exit.value }))
          })
        })

      return Journal.of({
        append: isTracing ? (entry) => inSpan("commit", spanOf(entry), () => append(entry)) : append,
        interrupted: ({ epoch, run, seq, step, taskId }) =>
          database.execute(interrupted({
            task: taskId,
            origin: signals.origin,
            epoch,
            seq,
            body: stepText(step),
            inputTokens: run.inputTokens,
            outputTokens: run.outputTokens,
            modelCalls: run.modelCalls,
            cost: run.cost
          })).pipe(
            Effect.map(() => signals.stepped([taskId])),
            Effect.timeout("2 seconds"),
            Effect.catchAll((error) =>
              Effect.logWarning("The tokens of an interrupted model call could not be counted", error)
            )
          ),
        read: (taskId, after) =>
          database.execute(read({ task: taskId, after })).pipe(
            Effect.orDie,
            Effect.flatMap(Effect.forEach((row) => decodeStep(row))),
            Effect.orDie
          )
      })
    })
  )
}

const spanOf = ({ seq, step: { kind } }: StepWrite) => () => ({ attributes: { seq, step: kind } })

const maxGroup = 256

const maxBytes = 8 * 1024 * 1024

const outage = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("2 seconds")),
  Schedule.upTo("30 seconds"),
  Schedule.whileInput(isUnavailable)
)

const read = prepared(
  "journal_read",
  ["task", "after"],
  `select ${stepColumns} from steps where task_id = $task::uuid and seq > $after::integer order by seq`
)

const decodeStep = Schema.decodeUnknown(StepRow)
