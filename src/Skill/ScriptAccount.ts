import type { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import process from "node:process"

/** A system user with a group of the same number. */
export interface ScriptAccount {
  readonly uid: number
  readonly gid: number
}

/** The range that systemd gives to services for the time they run: nobody signs in as one, and no file is theirs. */
const first = 61_184
const last = 65_519

export const isRoot = (): boolean => process.platform === "linux" && process.getuid?.() === 0

/** The system user as which scripts of a user run where the service is root; the same in every process. */
export const accountOf = (userId: UserId): ScriptAccount => {
  const number = first + createHash("sha256").update(userId).digest().readUInt32BE() % (last - first + 1)
  return { uid: number, gid: number }
}

export const probeAccount: ScriptAccount = { uid: last, gid: last }

export const isScriptAccount = (uid: number): boolean => uid >= first && uid <= last

/** Whether every user of the machine may enter the folder, or run the file, and every folder above it. */
export const isOpenToAll = (path: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => stat(path)).pipe(
    Effect.flatMap(({ mode }) => {
      if ((mode & 0o001) === 0) return Effect.succeed(false)
      return dirname(path) === path ? Effect.succeed(true) : isOpenToAll(dirname(path))
    }),
    Effect.orElseSucceed(() => false)
  )
