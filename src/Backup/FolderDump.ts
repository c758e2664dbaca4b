import { Effect, Ref } from "effect"
import { constants } from "node:fs"
import { readdir, realpath } from "node:fs/promises"
import { type OpenDirectory, openDirectory, openFile } from "../File/OpenDirectory.ts"
import type { SandboxRefused } from "../File/SandboxRefused.ts"
import type { ArchiveWriter } from "./Archive.ts"
import { attempt, type BackupFailed } from "./BackupFailed.ts"
import type { FolderName } from "./Manifest.ts"
import { isTemporary } from "./Places.ts"

/** A file up to this size is read at once, so that it may change meanwhile. */
const smallBytes = 1024 * 1024

export interface FolderDump {
  readonly files: number
  /** Links, special files, and what could not be read. */
  readonly leftOut: ReadonlyArray<string>
}

/** Adds all files of a folder to the archive. No link is followed, whoever puts one there meanwhile. */
export const dumpFolder = (
  archive: ArchiveWriter,
  name: FolderName,
  location: string
): Effect.Effect<FolderDump, BackupFailed> =>
  Effect.gen(function*() {
    const files = yield* Ref.make(0)
    const leftOut = yield* Ref.make<ReadonlyArray<string>>([])
    const leave = (path: string) => Ref.update(leftOut, (paths) => [...paths, path])
    const dumpFile = (folder: OpenDirectory, child: string, path: string) =>
      Effect.gen(function*() {
        const { handle, read, stats } = yield* openFile(folder, child, constants.O_RDONLY, path)
        const header = { name: path, mode: stats.mode & 0o777, mtime: stats.mtime }
        if (stats.size <= smallBytes) {
          const content = Buffer.alloc(stats.size)
          yield* archive.add(header, content.subarray(0, yield* read(content, 0)))
        } else {
          const content = handle.createReadStream({ start: 0, end: stats.size - 1, autoClose: false })
          yield* archive.addStream({ ...header, size: stats.size }, content)
        }
        yield* Ref.update(files, (number) => number + 1)
      }).pipe(Effect.scoped)

    const dumpAll = (place: string, path: string): Effect.Effect<void, BackupFailed | SandboxRefused> =>
      Effect.gen(function*() {
        const folder = yield* openDirectory(place, path)
        const found = yield* attempt(`Reading ${path}`, () => readdir(folder.at("."), { withFileTypes: true }))
        for (const child of found) {
          const inside = `${path}/${child.name}`
          if (path === name && isTemporary(child.name)) continue
          if (child.isDirectory()) {
            yield* archive.add({ name: `${inside}/`, type: "directory" }, "")
            yield* Effect.catchTag(dumpAll(folder.at(child.name), inside), "SandboxRefused", () => leave(inside))
          } else if (child.isFile()) {
            yield* Effect.catchTag(dumpFile(folder, child.name, inside), "SandboxRefused", ({ kind }) =>
              // A file that was deleted since is no loss.
              kind === "missing" ? Effect.void : leave(inside))
          } else yield* leave(inside)
        }
      }).pipe(Effect.scoped)

    const root = yield* Effect.promise(() => realpath(location).catch(() => null))
    if (root !== null) {
      yield* Effect.catchTag(dumpAll(root, name), "SandboxRefused", () => leave(name))
    }
    return { files: yield* Ref.get(files), leftOut: yield* Ref.get(leftOut) }
  })
