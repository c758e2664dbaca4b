import { Effect, Predicate, Schema } from "effect"

/**
 * Why a path was refused: its `name` can't be one, there is nothing of that name (`missing`), it would reach what it
 * must not (`unsafe`), it is too big (`size`), the user's space is used up (`quota`), or the storage won't do it now.
 */
const SandboxRefusal = Schema.Literal("name", "missing", "unsafe", "size", "quota", "unavailable")
type SandboxRefusal = typeof SandboxRefusal.Type

/** The sandbox did nothing. `path` is the path as given; `reason` is plain words that a model understands. */
export class SandboxRefused extends Schema.TaggedError<SandboxRefused>()("SandboxRefused", {
  path: Schema.String,
  kind: SandboxRefusal,
  reason: Schema.String
}) {
  override get message() {
    return `${JSON.stringify(this.path.slice(0, 300))}: ${this.reason}.`
  }
}

/** Does file-system work for `path`. */
export const attempt = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, SandboxRefused> =>
  Effect.catchAll(Effect.tryPromise(work), ({ error }) => refusalOf(error, path))

/** What an error of the file system means. What a caller can't cause or mend (a broken disk) is a defect. */
export const refusalOf = (error: unknown, path: string): Effect.Effect<never, SandboxRefused> => {
  const meaning = meanings[codeOf(error)]
  return meaning === undefined
    ? Effect.die(error)
    : new SandboxRefused({ path, kind: meaning[0], reason: meaning[1] })
}

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""

/** The reason given when something that was to be made anew exists. */
export const alreadyThere = "something of that name is there already"

const link = ["unsafe", "a part of the path is a link, or changed while it was being opened"] as const
const special = ["unsafe", "it is not a regular file"] as const
const long = ["name", "the path is too long"] as const
const denied = ["unavailable", "the service has no permission for it"] as const
const full = ["unavailable", "the service's disk is full"] as const

const meanings: Readonly<Record<string, readonly [SandboxRefusal, string]>> = {
  ENOENT: ["missing", "there is no such file or folder"],
  ENOTDIR: ["unsafe", "a part of the path is not a folder"],
  EISDIR: ["unsafe", "it is a folder, not a file"],
  EEXIST: ["unsafe", alreadyThere],
  ELOOP: link,
  EMLINK: link,
  ENXIO: special,
  ENODEV: special,
  ENAMETOOLONG: long,
  EILSEQ: ["name", "the name has characters that the file system can't keep"],
  EACCES: denied,
  EPERM: denied,
  EROFS: denied,
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: ["size", "it would become too big"]
}
