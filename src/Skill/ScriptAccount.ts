import type { UserId } from "@troupe/domain/Ids"
import { Effect, type Scope } from "effect"
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { chmod, chown, lstat, open, readdir, stat } from "node:fs/promises"
import { dirname } from "node:path"
import process from "node:process"
import { noLinkNoWait, type OpenDirectory, openDirectory } from "../File/OpenDirectory.ts"
import { attempt, type SandboxRefused } from "../File/SandboxRefused.ts"

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

/** Whether every user of the machine may enter the folder, or run the file, and every folder above it. */
export const isOpenToAll = (path: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => stat(path)).pipe(
    Effect.flatMap(({ mode }) => {
      if ((mode & 0o001) === 0) return Effect.succeed(false)
      return dirname(path) === path ? Effect.succeed(true) : isOpenToAll(dirname(path))
    }),
    Effect.orElseSucceed(() => false)
  )

/** Deeper folders keep their owner; no path of a user leads there. */
const maxDepth = 40

/**
 * Gives a folder and what is in it to a system user, who alone may enter it. Follows no link, whatever other processes
 * change meanwhile, and leaves files with a second name alone, which may be somebody else's.
 */
export const giveTo = (
  { gid, uid }: { readonly uid: number; readonly gid: number },
  location: string
): Effect.Effect<void, SandboxRefused> => {
  const giveFile = (folder: OpenDirectory, name: string) =>
    Effect.acquireUseRelease(
      attempt(name, () => open(folder.at(name), constants.O_RDONLY | noLinkNoWait)),
      (handle) =>
        attempt(name, () =>
          handle.stat().then((stats) => stats.isFile() && stats.nlink === 1 ? handle.chown(uid, gid) : undefined)),
      (handle) =>
        Effect.promise(() => handle.close())
    )
  const give = (folder: OpenDirectory, depth: number): Effect.Effect<void, SandboxRefused, Scope.Scope> =>
    Effect.gen(function*() {
      for (const name of yield* attempt(".", () => readdir(folder.at(".")))) {
        const given = Effect.flatMap(attempt(name, () => lstat(folder.at(name))), (stats) => {
          if (stats.isDirectory() && depth < maxDepth) {
            return Effect.scoped(
              Effect.flatMap(openDirectory(folder.at(name), name), (inner) => give(inner, depth + 1))
            )
          }
          return stats.isFile() && stats.uid !== uid ? giveFile(folder, name) : Effect.void
        })
        // Deleted or exchanged meanwhile.
        yield* Effect.catchIf(given, ({ kind }) => kind === "missing" || kind === "unsafe", () => Effect.void)
      }
      yield* attempt(".", () => chown(folder.at("."), uid, gid))
    })
  return Effect.scoped(Effect.gen(function*() {
    const folder = yield* openDirectory(location, ".")
    yield* attempt(".", () => chmod(folder.at("."), 0o700))
    yield* give(folder, 0)
  }))
}
