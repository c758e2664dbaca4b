import type { SqlError } from "@effect/sql/SqlError"
import type { TaskId } from "@troupe/domain/Ids"
import { type JournalledStep, Step } from "@troupe/domain/Step"
import { Context, Data, Effect, Layer, Schedule, Schema } from "effect"
import * as GroupCommit from "../Runtime/GroupCommit.ts"
import { stopwatch } from "../Runtime/Metrics.ts"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { isRefusal, isUnavailable } from "../Runtime/SqlFailure.ts"
import { type SpanOf, Tracing } from "../Runtime/Tracing.ts"
import { appendOf, type EncodedWrite, encodeWrite } from "./JournalStatements.ts"
import type { StepWrite } from "./StepWrite.ts"
import { actorsFenced, commitSeconds, groupSteps, journalled } from "./TaskMetrics.ts"
import { TaskSignals } from "./TaskSignals.ts"

/** The write changed nothing: another epoch or step number stands in the row. The writer must end, silently. */
export class Fenced extends Data.TaggedError("Fenced")<{ readonly taskId: TaskId }> {}

/** The database refuses the step, or did not take it within the time that the journal waits for it. */
export class JournalFailed extends Data.TaggedError("JournalFailed")<{ readonly cause: SqlError }> {
  get isRefusal(): boolean {
    return isRefusal(this.cause)
  }
}

/**
 * The append-only journal of every task: one row a step, together with the actor row, and with the notifications that
 * the step of a task (not of a subtask) causes, in one statement. Steps that fall due together go as one statement; each caller continues only after its own commit. While the database is away
 * a write waits for it, up to half a minute.
 */
export class Journal extends Context.Tag("troupe/Task/Journal")<Journal, {
  readonly append: (write: StepWrite) => Effect.Effect<void, Fenced | JournalFailed>
  /** The steps after number `after`, oldest first. */
  readonly read: (taskId: TaskId, after: number) => Effect.Effect<ReadonlyArray<JournalledStep>>
}>() {
  static readonly layer: Layer.Layer<Journal, never, PreparedStatements | TaskSignals> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const database = yield* PreparedStatements
      const signals = yield* TaskSignals
      const tracing = yield* Tracing

      const write = Effect.fnUntraced(function*(writes: ReadonlyArray<EncodedWrite>) {
        const statement = appendOf(writes)
        // In one order, so that two writers of some of the same rows never wait for each other.
        const ordered = writes.toSorted((one, other) => one.taskId < other.taskId ? -1 : 1)
        const json = `[${ordered.map((entry) => entry.json).join(",")}]`
        const elapsed = stopwatch()
        let tries = 0
        const rows = yield* Effect.suspend(() => {
          tries += 1
          return database.execute(statement, [json, signals.origin, tries > 1])
        }).pipe(Effect.retry({ schedule: outage, while: isUnavailable }))
        commitSeconds(elapsed())
        groupSteps(writes.length)
        const moved = new Set(rows.map((row) => row["task_id"]))
        const shards = rows.flatMap(({ shard }) => typeof shard === "number" ? [shard] : [])
        if (shards.length > 0) signals.wake(shards)
        signals.stepped(writes.flatMap((entry) => (moved.has(entry.taskId) ? [entry.taskId] : [])))
        return writes.map((entry) => moved.has(entry.taskId))
      })
      const commits = GroupCommit.make({
        write,
        maxGroup,
        maxWeight: maxBytes,
        weigh: ({ json }: EncodedWrite) => json.length,
        writers: 1,
        isRefusal
      })
      const commit = yield* commits
      // One statement changes a row only once: the end of a subtask, which changes its parent's row, never goes
      // together with a step of a parent.
      const commitEnd = yield* commits

      const append = (entry: StepWrite) =>
        Effect.suspend(() => {
          const encoded = encodeWrite(entry)
          return encoded.ends ? commitEnd(encoded) : commit(encoded)
        }).pipe(
          Effect.matchEffect({
            onFailure: (cause) => new JournalFailed({ cause }),
            onSuccess: (moved) => {
              if (moved) {
                journalled(entry)
                if (entry.state.type === "task" && entry.state.status === "completed") signals.completed(entry.taskId)
                return Effect.void
              }
              actorsFenced(1)
              return new Fenced({ taskId: entry.taskId })
            }
          })
        )

      return Journal.of({
        append: (entry) => tracing.isOn ? tracing.traced(commitOf(entry), append(entry)) : append(entry),
        read: (taskId, after) =>
          database.execute(read, [taskId, after]).pipe(
            Effect.orDie,
            Effect.flatMap(Effect.forEach((row) => decodeRow(row))),
            Effect.orDie
          )
      })
    })
  )
}

const commitOf = ({ epoch, seq, step: { kind }, taskId }: StepWrite): SpanOf<void> => ({
  name: "commit",
  facts: { task_id: taskId, epoch, seq, step: kind }
})

/** The most steps that go as one statement. */
const maxGroup = 256

/** The most characters that go as one statement; a larger step goes alone. */
const maxBytes = 8 * 1024 * 1024

/** An outage is waited for: 0.1 s, 0.2 s, ... 2 s, for half a minute in all. */
const outage = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("2 seconds")),
  Schedule.upTo("30 seconds")
)

const read: Prepared = {
  name: "journal_read",
  text: `select seq, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, body
from steps where task_id = $1::uuid and seq > $2::integer order by seq`
}

const decodeRow = Schema.decodeUnknown(
  Schema.Struct({ seq: Schema.Int, at: Schema.String, body: Schema.parseJson(Step) }).pipe(
    Schema.transform(
      Schema.typeSchema(Schema.Struct({ seq: Schema.Int, at: Schema.String, step: Step })),
      {
        strict: true,
        decode: ({ at, body, seq }) => ({ seq, at, step: body }),
        encode: ({ at, seq, step }) => ({ seq, at, body: step })
      }
    )
  )
)
