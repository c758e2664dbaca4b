import { Effect, type Scope } from "effect"
import { constants } from "node:fs"
import { chmod, chown, lstat, open, readdir } from "node:fs/promises"
import { type Folder, noLinkNoWait, openFolder } from "./Folder.ts"
import { attempt, type SandboxRefused } from "./SandboxRefused.ts"

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
  const giveFile = (folder: Folder, name: string) =>
    Effect.acquireUseRelease(
      attempt(name, () => open(folder.at(name), constants.O_RDONLY | noLinkNoWait)),
      (handle) =>
        attempt(name, () =>
          handle.stat().then((stats) => stats.isFile() && stats.nlink === 1 ? handle.chown(uid, gid) : undefined)),
      (handle) =>
        Effect.promise(() => handle.close())
    )
  const give = (folder: Folder, depth: number): Effect.Effect<void, SandboxRefused, Scope.Scope> =>
    Effect.gen(function*() {
      for (const name of yield* attempt(".", () => readdir(folder.at(".")))) {
        const given = Effect.flatMap(attempt(name, () => lstat(folder.at(name))), (stats) => {
          if (stats.isDirectory() && depth < maxDepth) {
            return Effect.scoped(Effect.flatMap(openFolder(folder.at(name), name), (inner) => give(inner, depth + 1)))
          }
          return stats.isFile() && stats.uid !== uid ? giveFile(folder, name) : Effect.void
        })
        // Deleted or exchanged meanwhile.
        yield* Effect.catchIf(given, ({ kind }) => kind === "missing" || kind === "unsafe", () => Effect.void)
      }
      yield* attempt(".", () => chown(folder.at("."), uid, gid))
    })
  return Effect.scoped(Effect.gen(function*() {
    const folder = yield* openFolder(location, ".")
    yield* attempt(".", () => chmod(folder.at("."), 0o700))
    yield* give(folder, 0)
  }))
}
