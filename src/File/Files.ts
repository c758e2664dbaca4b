import type * as Multipart from "@effect/platform/Multipart"
import type { CurrentUser } from "@troupe/api/Authentication"
import type { UserId } from "@troupe/domain/Ids"
import type { UserNotFound } from "@troupe/domain/User"
import {
  FileNotFound,
  FilePathInvalid,
  FileTooLarge,
  QuotaExceeded,
  StorageUnavailable,
  type StorageUsage,
  type UploadedFile,
  type UserFile
} from "@troupe/domain/UserFile"
import { Context, DateTime, Effect, Layer, type Scope, type Stream } from "effect"
import { Users } from "../People/User/Users.ts"
import { contentTypeOf } from "./Documents/DocumentKind.ts"
import type { PathEntry } from "./Listing.ts"
import type { OpenFile } from "./OpenDirectory.ts"
import { Sandbox } from "./Sandbox.ts"
import type { SandboxRefused } from "./SandboxRefused.ts"
import { receiveForm, type UploadRefused } from "./Upload.ts"

type Refused = FileNotFound | FilePathInvalid | StorageUnavailable

/** Use-cases over users' files. A path is relative to the user's folder. */
export class Files extends Context.Tag("troupe/File/Files")<Files, {
  /** Receives the file of a form; nothing of it stays unless all of it arrives. */
  readonly upload: (
    parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>
  ) => Effect.Effect<
    UploadedFile,
    UploadRefused | FileTooLarge | QuotaExceeded | StorageUnavailable,
    CurrentUser
  >
  /** Files in all folders, by path, at most `limit` after the path `after`. */
  readonly list: (userId: UserId, page: {
    readonly after: string
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<UserFile>, UserNotFound | StorageUnavailable>
  readonly usage: (userId: UserId) => Effect.Effect<StorageUsage, UserNotFound>
  readonly open: (userId: UserId, path: string) => Effect.Effect<OpenFile, UserNotFound | Refused, Scope.Scope>
  readonly remove: (userId: UserId, path: string) => Effect.Effect<void, UserNotFound | Refused>
}>() {
  static readonly layer = (
    options: {
      /** Read at each upload. */
      readonly maxUploadBytes: number
    }
  ): Layer.Layer<Files, never, Sandbox | Users> => Layer.effect(this, makeFiles(options))
}

const makeFiles = Effect.fnUntraced(function*(options: { readonly maxUploadBytes: number }) {
  const sandbox = yield* Sandbox
  const users = yield* Users

  const refusedUpload = ({ kind, path, reason }: SandboxRefused) => {
    switch (kind) {
      case "size":
        return new FileTooLarge({ limit_bytes: options.maxUploadBytes })
      case "quota":
        return new QuotaExceeded({ reason })
      case "name":
      case "unsafe":
        return new FilePathInvalid({ field: "file", path, reason })
      case "missing":
      case "unavailable":
        return new StorageUnavailable({ reason })
    }
  }

  const upload: Files["Type"]["upload"] = Effect.fn("Files.upload")(
    function*(parts) {
      const incoming = yield* sandbox.receive(options.maxUploadBytes)
      const userId = yield* receiveForm(users, parts, incoming)
      yield* users.ensureExists(userId)
      const { file, limitBytes, usedBytes } = yield* incoming.commit
      return {
        user_id: userId,
        filename: file.name,
        path: file.path,
        size: file.size,
        content_type: contentTypeOf(file.name),
        quota: usageOf(usedBytes, limitBytes)
      }
    },
    Effect.scoped,
    Effect.catchTag("SandboxRefused", (refused) => Effect.fail(refusedUpload(refused)))
  )

  const list: Files["Type"]["list"] = Effect.fn("Files.list")(function*(userId, page) {
    yield* users.check(userId)
    const found = yield* Effect.mapError(
      sandbox.files(userId, page),
      ({ reason }) => new StorageUnavailable({ reason })
    )
    return found.map(userFile)
  })

  return Files.of({
    upload,
    list,
    usage: (userId) =>
      Effect.zipRight(
        users.check(userId),
        Effect.map(sandbox.usage(userId), ({ limitBytes, usedBytes }) => usageOf(usedBytes, limitBytes))
      ),
    open: (userId, path) =>
      Effect.zipRight(users.check(userId), Effect.mapError(sandbox.open(userId, path), refusedPath)),
    remove: (userId, path) =>
      Effect.zipRight(users.check(userId), Effect.mapError(sandbox.remove(userId, path), refusedPath))
  })
})

const usageOf = (usedBytes: number, limitBytes: number): StorageUsage => ({
  used_bytes: usedBytes,
  limit_bytes: Number.isFinite(limitBytes) ? limitBytes : null
})

const refusedPath = ({ kind, path, reason }: SandboxRefused): Refused => {
  if (kind === "name") return new FilePathInvalid({ field: "path", path, reason })
  return kind === "unavailable"
    ? new StorageUnavailable({ reason })
    : new FileNotFound({ path, reason: kind === "missing" ? "there is no such file" : reason })
}

const userFile = ({ modified, name, path, size }: PathEntry): UserFile => ({
  path,
  filename: name,
  size,
  content_type: contentTypeOf(name),
  modified_at: DateTime.formatIso(DateTime.unsafeMake(modified))
})
