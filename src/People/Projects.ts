import { fileNameOf } from "@troupe/domain/FileName"
import { Context, Duration, Effect, Either, Layer } from "effect"
import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { makeExpiringCache } from "../Runtime/ExpiringCache.ts"

export interface Project {
  readonly id: string
  readonly name: string
  /** With all symbolic links resolved; null if there is none. */
  readonly folder: string | null
  readonly channel: ProjectChannel | null
}

/** All of it comes from outside. */
export interface ProjectChannel {
  readonly name: string
  readonly summary: string | null
  readonly pending: ReadonlyArray<{ readonly from: string; readonly at: string; readonly text: string }>
  readonly members: ReadonlyArray<{
    readonly name: string
    readonly role: string | null
    readonly responsibilities: string | null
  }>
}

/** The projects that tasks belong to. */
export class Projects extends Context.Tag("troupe/People/Projects")<Projects, {
  /** Never fails: an unknown project has only its id. */
  readonly find: (id: string) => Effect.Effect<Project>
}>() {
  static readonly layer = (options: { readonly root: string }): Layer.Layer<Projects> =>
    Layer.sync(this, () => {
      const known = makeExpiringCache({
        capacity: 256,
        timeToLive: Duration.seconds(5),
        lookup: (id: string) =>
          Effect.map(folderOf(options.root, id), (folder): Project => ({ id, name: id, folder, channel: null }))
      })
      return Projects.of({ find: known.get })
    })
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
