import { Effect, Schema } from "effect"
import { errorCode } from "../Runtime/ErrorText.ts"

/** `unsafe`: the path leads to a link, a special file or out of the folder; `unavailable`: the storage fails. */
const SandboxRefusal = Schema.Literal("name", "missing", "unsafe", "size", "quota", "unavailable")
type SandboxRefusal = typeof SandboxRefusal.Type

/** The sandbox did nothing. `path` is the path as given; the model reads `reason`. */
export class SandboxRefused extends Schema.TaggedError<SandboxRefused>()("SandboxRefused", {
  path: Schema.String,
  kind: SandboxRefusal,
  reason: Schema.String
}) {
  override get message() {
    return `${JSON.stringify(this.path.slice(0, 300))}: ${this.reason}.`
  }
}

export const attempt = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, SandboxRefused> =>
  Effect.catchAll(Effect.tryPromise(work), ({ error }) => refusalOf(error, path))

/** The refusal for an error of the file system. What a caller can neither cause nor fix (a broken disk) is a defect. */
const refusalOf = (error: unknown, path: string): Effect.Effect<never, SandboxRefused> => {
  const refusal = refusals[errorCode(error)]
  return refusal === undefined
    ? Effect.die(error)
    : new SandboxRefused({ path, kind: refusal[0], reason: refusal[1] })
}

export const alreadyThere = "a file or folder of that name exists"

const link = ["unsafe", "a part of the path is a link, or changed while it was being opened"] as const
const special = ["unsafe", "it is not a regular file"] as const
const tooLong = ["name", "the path is too long"] as const
const denied = ["unavailable", "the service has no permission for it"] as const
const full = ["unavailable", "the service's disk is full"] as const

const refusals: Readonly<Record<string, readonly [SandboxRefusal, string]>> = {
  ENOENT: ["missing", "there is no such file or folder"],
  ENOTDIR: ["unsafe", "a part of the path is not a folder"],
  EISDIR: ["unsafe", "it is a folder, not a file"],
  EEXIST: ["unsafe", alreadyThere],
  ELOOP: link,
  EMLINK: link,
  ENXIO: special,
  ENODEV: special,
  ENAMETOOLONG: tooLong,
  EILSEQ: ["name", "the name has characters that the file system can't keep"],
  EACCES: denied,
  EPERM: denied,
  EROFS: denied,
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: ["size", "it would become too large"]
}
