import { UnattendedWork, WorkHealth, type WorkKind } from "@troupe/domain/Unattended"
import { Schema } from "effect"
import { instant } from "../Runtime/Database/TimestampColumn.ts"

const fields = `json_build_object('state', h.state, 'since', ${instant("h.since")}, 'last_ok_at', ${
  instant("h.last_ok_at")
}, 'last_error', h.last_error, 'failures_in_a_row', h.failures_in_a_row, 'missed', h.missed)::text`

/** In SQL: what the last look found of a piece of unattended work, as text of JSON; null before the first look. */
export const healthOf = (kind: WorkKind, id: string): string =>
  `(select ${fields} from unattended h where h.kind = '${kind}' and h.id = ${id})`

export const HealthColumn = Schema.NullOr(Schema.parseJson(WorkHealth))

/** In SQL: all of a kind, or of every kind, with their health. */
export const unattendedColumns = `h.kind, h.id, h.name, ${fields} as health`

export const UnattendedRow = Schema.Struct({
  ...UnattendedWork.fields,
  health: Schema.parseJson(WorkHealth)
}).annotations({ identifier: "UnattendedRow" })
