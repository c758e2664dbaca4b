import { Effect } from "effect"
import { realpath } from "node:fs/promises"
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { type BackupFailed, failed } from "./BackupFailed.ts"
import type { Folders } from "./Manifest.ts"

/** Within the folder that they will be moved to, as that may be a file system of its own. */
export const stagingName = ".restoring"

/** Uploads under way, and what an interrupted restore has left. */
export const isTemporary = (name: string): boolean => name === ".uploads" || name === stagingName

const isWithin = (path: string, folder: string): boolean => {
  const below = relative(folder, path)
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

/** The path without links, also where its end does not exist yet. */
const realOf = (path: string): Promise<string> =>
  realpath(path).catch(() => {
    const parent = dirname(path)
    return parent === path ? path : realOf(parent).then((real) => join(real, relative(parent, path)))
  })

/** The archive must not contain itself, and no folder another one. */
export const checkPlaces = (
  file: string,
  folders: Folders,
  database: string
): Effect.Effect<void, BackupFailed> =>
  Effect.gen(function*() {
    const real = (path: string) => Effect.promise(() => realOf(resolve(path)))
    const places = yield* Effect.forEach([...Object.values(folders), database], real)
    for (const place of places) {
      if (isWithin(yield* real(file), place)) {
        return yield* failed(`${file} lies in a folder that belongs to the backup. Name a file elsewhere.`)
      }
      const inner = places.find((other) => other !== place && isWithin(other, place))
      if (inner !== undefined || places.filter((other) => other === place).length > 1) {
        return yield* failed(
          `${inner ?? place} lies in ${place}, and both belong to the backup. Give each its own place: DATA_DIR, `
            + "LOCAL_STORAGE_PATH, PROJECTS_PATH, SKILLS_PATH, AGENTS_PATH."
        )
      }
    }
  })
