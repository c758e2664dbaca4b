import type * as Multipart from "@effect/platform/Multipart"
import type { CurrentUser } from "@troupe/api/Authentication"
import type { NotAllowed } from "@troupe/domain/Caller"
import { fileNameOf } from "@troupe/domain/FileName"
import type { UserId } from "@troupe/domain/Ids"
import { PersonName, type PersonUnknown } from "@troupe/domain/User"
import { FilePathInvalid, FileTypeRefused, UploadInvalid } from "@troupe/domain/UserFile"
import { Chunk, Effect, Either, Layer, Option, Schedule, Schema, type Scope, Stream } from "effect"
import { actingFor } from "../People/User/Access.ts"
import type { Users } from "../People/User/Users.ts"
import { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"
import { agrees, type DocumentKind, extensions, kindOf } from "./Documents/DocumentKind.ts"
import type { IncomingFile } from "./IncomingFile.ts"
import { Sandbox } from "./Sandbox.ts"
import type { SandboxRefused } from "./SandboxRefused.ts"

/** The first bytes, by which the content is compared with the name. */
const headBytes = 65_536

export type UploadRefused = NotAllowed | PersonUnknown | UploadInvalid | FilePathInvalid | FileTypeRefused

const isPersonName = Schema.is(PersonName)

const field = "file"
const missing = new UploadInvalid({ field, reason: "the form has no file; send one as the field `file`" })
const second = (name: string) => new UploadInvalid({ field: name, reason: "send it once in a request" })

/**
 * Reads the form, writes its file to `incoming`, and returns the user whose file it is. It counts against the quota of
 * the user that the form names before the file, else of the caller.
 */
export const receiveForm = (
  users: Users["Type"],
  parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
  incoming: IncomingFile
): Effect.Effect<UserId, UploadRefused | SandboxRefused, CurrentUser | Scope.Scope> =>
  Effect.gen(function*() {
    let userId: UserId | null = null
    let filename: string | null = null

    const receiveUser = Effect.fnUntraced(function*(part: Multipart.Part) {
      if (userId !== null) return yield* second("user_id")
      if (part._tag !== "Field" || !isPersonName(part.value)) {
        return yield* new UploadInvalid({ field: "user_id", reason: "an id, an address or a name" })
      }
      userId = yield* actingFor(users, part.value)
      if (filename !== null) yield* incoming.assign(userId, filename)
    })

    const receiveFile = Effect.fnUntraced(function*(part: Multipart.Part) {
      if (filename !== null) return yield* second(field)
      if (part._tag !== "File") return yield* new UploadInvalid({ field, reason: "it must be a file with a name" })
      const { kind, name } = yield* checkedName(part.name)
      filename = name
      yield* incoming.assign(userId ?? (yield* actingFor(users, null)), name)
      yield* writeChecked(Stream.orDie(part.content), { kind, name, incoming })
    })

    yield* Stream.runForEach(Stream.orDie(parts), (part): Effect.Effect<
      void,
      UploadRefused | SandboxRefused,
      CurrentUser | Scope.Scope
    > => part.key === "user_id" ? receiveUser(part) : part.key === field ? receiveFile(part) : Effect.void)
    if (filename === null) return yield* missing
    return userId ?? (yield* actingFor(users, null))
  })

const checkedName = (given: string): Effect.Effect<
  { readonly name: string; readonly kind: DocumentKind },
  FilePathInvalid | FileTypeRefused
> =>
  Either.match(fileNameOf(given), {
    onLeft: (reason) => new FilePathInvalid({ field, path: given, reason }),
    onRight: (name) => {
      const kind = kindOf(name)
      return kind === undefined
        ? new FileTypeRefused({
          filename: name,
          reason: `Its extension must be one of ${extensions.map((one) => `.${one}`).join(", ")}.`
        })
        : Effect.succeed({ name, kind })
    }
  })

const writeChecked = Effect.fnUntraced(function*(
  content: Stream.Stream<Uint8Array>,
  { incoming, kind, name }: { readonly kind: DocumentKind; readonly name: string; readonly incoming: IncomingFile }
) {
  let head: Array<Uint8Array> | null = []
  let length = 0
  const check = Effect.suspend(() => {
    const bytes = Buffer.concat(head ?? [])
    head = null
    return Effect.zipRight(
      Effect.mapError(agrees(name, kind, bytes), ({ reason }) => new FileTypeRefused({ filename: name, reason })),
      incoming.write(bytes)
    )
  })
  yield* forEachChunk(content, (bytes) => {
    if (head === null) return incoming.write(bytes)
    head.push(bytes)
    length += bytes.length
    return length < headBytes ? Effect.void : check
  })
  if (head !== null) yield* check
})

/** As `Stream.runForEach`, which keeps what it has passed on from V8's collections of the young generation. */
const forEachChunk = <E>(
  content: Stream.Stream<Uint8Array>,
  use: (chunk: Uint8Array) => Effect.Effect<void, E>
): Effect.Effect<void, E> =>
  Effect.scoped(Effect.flatMap(Stream.toPull(content), (pull) =>
    Effect.option(pull).pipe(
      Effect.tap((chunks) => Effect.forEach(Option.getOrElse(chunks, () => Chunk.empty()), use, { discard: true })),
      Effect.repeat({ while: Option.isSome })
    )))

/** Deletes the uploads of processes that ended while they received them, every hour. */
export const layerUploadCleanup: Layer.Layer<never, never, Sandbox | ScheduledJobs> = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([Sandbox, ScheduledJobs]), ([sandbox, jobs]) =>
    jobs.start({
      name: "upload_cleanup",
      scope: "process",
      schedule: Schedule.spaced("1 hour"),
      run: sandbox.removeUnfinished
    }))
)
