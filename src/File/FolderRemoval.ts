import { Effect } from "effect"
import { chmod, readdir, rm } from "node:fs/promises"
import { join } from "node:path"

/** Deletes a folder with all that is in it; follows no link. */
export const removeFolder = (location: string): Effect.Effect<void> =>
  Effect.catchAll(removed(location), () => Effect.zipRight(opened(location), Effect.orDie(removed(location))))

const removed = (location: string) =>
  Effect.tryPromise(() => rm(location, { recursive: true, force: true, maxRetries: 3 }))

/** A script may have removed the permissions of its folders, so that nothing in them can be deleted. */
const opened = (location: string): Effect.Effect<void> =>
  Effect.tryPromise(() => chmod(location, 0o700)).pipe(
    Effect.zipRight(Effect.tryPromise(() => readdir(location, { withFileTypes: true }))),
    Effect.flatMap((entries) =>
      Effect.forEach(
        entries.filter((entry) => entry.isDirectory()),
        ({ name }) => opened(join(location, name)),
        { discard: true }
      )
    ),
    Effect.ignore
  )
