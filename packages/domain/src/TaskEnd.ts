import type { CutBy, EndedBy } from "./Task.ts"
import { plural } from "./Text.ts"

/** `detail`: the limit of iterations that was reached, or the name of who cancelled; null: neither, or not known. */
export interface TaskEnd {
  readonly by: EndedBy
  readonly detail: string | null
}

export const isCut = (by: EndedBy | null): by is CutBy => by === "limit" || by === "budget"

/** Why a task ended, in words: "Stopped at its limit of 10 model calls". Null for one that ended with its agent's answer. */
export const endLabel = ({ by, detail }: TaskEnd): string | null => {
  switch (by) {
    case "answer":
      return null
    case "limit":
      return detail === null
        ? "Stopped at its limit"
        : `Stopped at its limit of ${plural(Number(detail), "model call")}`
    case "budget":
      return "Stopped at its budget"
    case "cancelled":
      return detail === null ? "Cancelled" : `Cancelled by ${detail}`
    case "failure":
      return "Failed"
  }
}

/** As `endLabel`, of a task that was completed at a limit; null for any other. */
export const cutLabel = (end: TaskEnd | null): string | null => end !== null && isCut(end.by) ? endLabel(end) : null

/** The error of a cancelled task ("Cancelled: too late"), with who cancelled it. */
export const cancelText = (error: string, label: string | null): string =>
  label === null ? error : error.replace(/^Cancelled(?=[.:])/, () => label)
