import { fileNameOf } from "@troupe/domain/FileName"
import type { UserId } from "@troupe/domain/Ids"
import { Context, Duration, Effect, Either, Layer } from "effect"
import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { makeExpiringCache } from "../Runtime/ExpiringCache.ts"
import { type ProjectChannel, ProjectChannels } from "./ProjectChannels.ts"

export interface Project {
  readonly id: string
  readonly name: string
  /** With all symbolic links resolved; null if there is none. */
  readonly folder: string | null
  readonly channel: ProjectChannel | null
}

export class Projects extends Context.Tag("troupe/People/Projects")<Projects, {
  /** As the reader may see it. Never fails: an unknown project has only its id. */
  readonly find: (id: string, reader: UserId) => Effect.Effect<Project>
}>() {
  static readonly layer = (options: { readonly root: string }): Layer.Layer<Projects, never, ProjectChannels> =>
    Layer.effect(
      this,
      Effect.map(ProjectChannels, (channels) => {
        const folders = makeExpiringCache({
          capacity: 256,
          timeToLive: Duration.seconds(5),
          lookup: (id: string) => folderOf(options.root, id)
        })
        return Projects.of({
          find: (id, reader) =>
            Effect.zipWith(folders.get(id), channels.find(id, reader), (folder, channel) => ({
              id,
              name: channel?.name ?? id,
              folder,
              channel
            }))
        })
      })
    )
}

/** Null for an id that is not a file name or leads out of the root. */
const folderOf = (root: string, id: string): Effect.Effect<string | null> => {
  const name = Either.getOrNull(fileNameOf(id))
  if (name === null || name !== id) return Effect.succeed(null)
  return Effect.tryPromise(() => Promise.all([realpath(root), realpath(join(root, name))])).pipe(
    Effect.map(([top, folder]) => folder === join(top, name) ? folder : null),
    Effect.orElseSucceed(() => null)
  )
}
