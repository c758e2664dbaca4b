import type { AnyTaskEvent } from "@troupe/api/TaskEvent"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { Effect, Option, Schema } from "effect"
import type { Row } from "../../Runtime/Database/PreparedStatements.ts"
import { StepRow } from "../TaskRow.ts"
import { framesOf } from "./TaskFrames.ts"
import { deletionNumber } from "./WatchStatements.ts"

export interface EventPosition {
  readonly xact: bigint
  readonly task: string
  readonly seq: number
}

export const noTask = "00000000-0000-0000-0000-000000000000"

export const startOf = (xact: bigint): EventPosition => ({ xact, task: noTask, seq: -1 })

export const isAfter = (one: EventPosition, other: EventPosition): boolean =>
  one.xact !== other.xact
    ? one.xact > other.xact
    : one.task !== other.task
    ? one.task > other.task
    : one.seq > other.seq

/** Where a stream resumes: after an event of a row, so that the rest of this row comes first. */
export interface ResumePoint {
  readonly row: EventPosition
  readonly index: number
}

export const parseResumePoint = (id: string): Option.Option<ResumePoint> => {
  const match = /^(\d{1,19})(?:\.([\da-f-]{36})\.(\d{1,9})\.(\d{1,9}))?$/.exec(id)
  const [, xact, task, seq, index] = match ?? []
  if (xact === undefined) return Option.none()
  return Option.some(
    task === undefined
      ? { row: startOf(BigInt(xact)), index: -1 }
      : { row: { xact: BigInt(xact), task, seq: Number(seq) }, index: Number(index) }
  )
}

export const firstIdOf = ({ xact }: EventPosition): string => String(xact)

export interface FramedRow {
  readonly position: EventPosition
  /** Who may read the content of the task. */
  readonly people: ReadonlyArray<UserId | null>
  readonly frames: ReadonlyArray<AnyTaskEvent>
}

const decodeStep = Schema.decodeUnknown(StepRow)
const decodePeople = Schema.decodeUnknownOption(Schema.Array(Schema.NullOr(UserId)))

/** The events of a row. Unreadable or deleted rows yield none; the stream goes on. */
export const frameRow = (row: Row): Effect.Effect<FramedRow> => {
  const position = { xact: BigInt(String(row["xact_id"])), task: String(row["task_id"]), seq: Number(row["seq"]) }
  const taskId = TaskId.make(position.task, { disableValidation: true })
  // Without readable people, only admins see content.
  const people = Option.getOrElse(decodePeople(row["people"]), () => [])
  const idOf = (index: number) => `${position.xact}.${position.task}.${position.seq}.${index}`
  if (row["at"] === null) return Effect.succeed({ position, people, frames: [] })
  const only = (event: AnyTaskEvent) => Effect.succeed({ position, people, frames: [event] })
  const of = { id: idOf(0), task_id: taskId }
  if (position.seq === deletionNumber) return only({ _tag: "deleted", ...of })
  if (position.seq === 0) {
    return only(
      row["is_archived"] === true
        ? { _tag: "archived", ...of }
        : { _tag: "status", ...of, status: "pending", error: null }
    )
  }
  return decodeStep(row).pipe(
    Effect.map((entry) => {
      const frames = framesOf(entry, row["is_subtask"] === true ? "subtask" : "task", null).flatMap(
        (event, index): Array<AnyTaskEvent> => {
          const of = { id: idOf(index), task_id: taskId }
          if (event._tag === "log") return [{ _tag: "log", ...of, entry: event.entry }]
          return event._tag !== "status" || row["superseded"] === true
            ? []
            : [{ _tag: "status", ...of, status: event.status, error: event.error }]
        }
      )
      return { position, people, frames }
    }),
    Effect.catchAll((cause) =>
      Effect.as(
        Effect.logWarning(
          `Step ${position.seq} of task ${position.task} can't be read; its events are left out`,
          cause
        ),
        { position, people, frames: [] }
      )
    )
  )
}
