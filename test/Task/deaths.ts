import type { TaskId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { rowOf } from "../support/TaskRows.ts"
import { Wire } from "../support/TaskWorld.ts"
import { nobody } from "./claims.ts"

export const wanted = { free: 9, perUser: 9, after: "", active: nobody }

export const alone = { ...wanted, suspect: { isAlone: true } }

export const deathsOf = (id: TaskId) =>
  Effect.map(rowOf(id), (row) => ({
    attempts: row.attempts,
    deaths: row.process_deaths,
    lone: row.lone_deaths,
    kind: row.claim_kind,
    queued_by: row.queued_by
  }))

/** Makes these tasks suspects that are due, without a process. */
export const suspected = (deaths: number) =>
  Effect.flatMap(
    Wire,
    ({ query }) => query("update actors set process_deaths = $1, queued_by = '', runner = null, attempts = 0", [deaths])
  )
