import { Effect } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** Copies a folder with its owners and modes: PostgreSQL serves none that belongs to another account. */
export const copyFolder = (from: string, to: string): Effect.Effect<void> =>
  Effect.asVoid(Effect.promise(() => promisify(execFile)("cp", ["-a", from, to])))
