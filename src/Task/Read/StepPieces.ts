import type { TaskId } from "@troupe/domain/Ids"
import { Chunk, Effect, Option, Stream } from "effect"
import { prepared, type Query, type Row } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { stepColumns, StepRow } from "../Row/TaskRow.ts"

export const stepRows = rowsOf(StepRow)

/** Steps in memory at a time. Each has texts of at most some hundred kilobytes. */
export const maxPiece = 50

const stepsAfter = prepared(
  "steps_read_after",
  ["task", "after", "limit"],
  `select ${stepColumns} from steps where task_id = $task::uuid and seq > $after::integer order by seq limit $limit::integer`
)

/** All journalled steps of a task, read piece by piece. */
export const readSteps = <E>(execute: (query: Query) => Effect.Effect<ReadonlyArray<Row>, E>, task: TaskId) =>
  Stream.paginateChunkEffect(
    0,
    (after) =>
      Effect.map(stepRows(execute(stepsAfter({ task, after, limit: maxPiece }))), (steps) =>
        [
          Chunk.unsafeFromArray(steps),
          steps.length < maxPiece ? Option.none() : Option.fromNullable(steps.at(-1)?.seq)
        ] as const)
  )
