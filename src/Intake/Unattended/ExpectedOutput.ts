import type { Step } from "@troupe/domain/Step"
import { outputsOf } from "@troupe/domain/TaskOutcome"
import { createHash } from "node:crypto"
import type { Result } from "./Judgement.ts"
import type { Ended } from "./UnattendedStatements.ts"

/**
 * By which results are compared: their text, apart from blank space around it, and the names and sizes of their files. Null: the
 * result is empty, or the service's own report of a task that was cut short.
 */
export const outputKey = (step: Step): string | null => {
  if ((step.kind === "model" || step.kind === "forced") && step.reported === true) return null
  const outputs = outputsOf({ at: "", seq: 0, step })
  const said = outputs.map(({ content, filename, size }) => [(content ?? "").trim(), filename, size] as const)
  return said.every(([text, filename]) => text === "" && filename === null)
    ? null
    : createHash("sha256").update(JSON.stringify(said)).digest("base64url")
}

/**
 * The results of a schedule that expects output, newest first: an empty one, and one that is the same as the last that was not empty, count as
 * failed.
 */
export const expectingOutput = (
  ended: ReadonlyArray<Ended>,
  keys: ReadonlyMap<string, string | null>
): ReadonlyArray<Result> => {
  const outputs = ended.filter(({ hasFailed, id }) => !hasFailed && typeof keys.get(id) === "string")
  return ended.map(({ at, error, hasFailed, id }) => {
    if (hasFailed) return { at, error: error ?? "The task failed." }
    const key = keys.get(id)
    if (key === undefined) return { at, error: null }
    if (key === null) return { at, error: "The result was empty, although output is expected." }
    const before = outputs[outputs.findIndex((one) => one.id === id) + 1]
    return {
      at,
      error: before !== undefined && keys.get(before.id) === key
        ? "The result is the same as the one before, although output is expected."
        : null
    }
  })
}

/** The results of other work, newest first. */
export const anyResult = (ended: ReadonlyArray<Ended>): ReadonlyArray<Result> =>
  ended.map(({ at, error, hasFailed }) => ({ at, error: hasFailed ? error ?? "The task failed." : null }))
