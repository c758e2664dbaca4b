import { fileNameOf } from "@troupe/domain/FileName"
import { Cache, Context, Effect, Either, Layer } from "effect"
import { realpath } from "node:fs/promises"
import { join } from "node:path"

/** A project as agents are told of it. */
export interface Project {
  readonly id: string
  readonly name: string
  /** Its folder, with all links resolved; null where there is none. */
  readonly folder: string | null
  /** The channel that it is talked about in, where there is one. */
  readonly channel: ProjectChannel | null
}

/** What is known of a project's channel. All of it comes from outside. */
export interface ProjectChannel {
  readonly name: string
  readonly summary: string | null
  /** What was said there since the agent was last told, oldest first. */
  readonly pending: ReadonlyArray<{ readonly from: string; readonly at: string; readonly text: string }>
  readonly members: ReadonlyArray<{
    readonly name: string
    readonly role: string | null
    readonly responsibilities: string | null
  }>
}

/** What is known of projects. */
export class Projects extends Context.Tag("troupe/People/Projects")<Projects, {
  /** Never fails: of a project that nobody knows only its id is known. */
  readonly find: (id: string) => Effect.Effect<Project>
}>() {
  /** Knows projects by their folders under `root` alone. */
  static readonly layer = (options: { readonly root: string }): Layer.Layer<Projects> =>
    Layer.effect(
      this,
      Cache.make({
        capacity: 256,
        timeToLive: lookEvery,
        lookup: (id: string) =>
          Effect.map(folderOf(options.root, id), (folder): Project => ({ id, name: id, folder, channel: null }))
      }).pipe(
        // Whoever asks first looks for all who ask meanwhile: called off, it would take them with it.
        Effect.map((known) => Projects.of({ find: (id) => Effect.uninterruptible(known.get(id)) }))
      )
    )
}

/** A new folder is seen after this long. */
const lookEvery = "5 seconds"

/** The folder of that very name directly under the root: an id that is no file name, or leads elsewhere, has none. */
const folderOf = (root: string, id: string): Effect.Effect<string | null> => {
  const name = Either.getOrNull(fileNameOf(id))
  if (name === null || name !== id) return Effect.succeed(null)
  return Effect.tryPromise(() => Promise.all([realpath(root), realpath(join(root, name))])).pipe(
    Effect.map(([top, folder]) => folder === join(top, name) ? folder : null),
    Effect.orElseSucceed(() => null)
  )
}
