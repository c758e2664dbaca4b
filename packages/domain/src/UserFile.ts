import { Schema } from "effect"
import { UserId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"

const FilePath = Schema.String.annotations({ description: "Path in the user's folder, such as notes/plan.md" })
const Size = Schema.Int.annotations({ description: "Bytes" })
const ContentType = Schema.String.annotations({ description: "Media type, by the extension of the name" })

/** A file of a user, wherever it came from: an upload, a tool or a script. */
export const UserFile = Schema.Struct({
  path: FilePath,
  filename: Schema.String.annotations({ description: "The last part of the path" }),
  size: Size,
  content_type: ContentType,
  modified_at: Timestamp.annotations({ description: "When it last changed" })
}).annotations({ identifier: "UserFile" })
export type UserFile = typeof UserFile.Type

export const StorageUsage = Schema.Struct({
  used_bytes: Schema.Int.annotations({ description: "Bytes of all files, in blocks of 4 KiB" }),
  limit_bytes: Schema.NullOr(Schema.Int).annotations({ description: "The user's storage quota; null: no limit" })
}).annotations({ identifier: "StorageUsage", description: "How much of the quota a user's files take" })
export type StorageUsage = typeof StorageUsage.Type

export const UploadedFile = Schema.Struct({
  user_id: UserId.annotations({ description: "The user whose file it is" }),
  filename: Schema.String.annotations({ description: "Name of the file, in Unicode's composed form (NFC)" }),
  path: FilePath,
  size: Size,
  content_type: ContentType,
  quota: StorageUsage
}).annotations({ identifier: "UploadedFile" })
export type UploadedFile = typeof UploadedFile.Type

const Field = Schema.String.annotations({ description: "The field or parameter that is wrong" })

const named = (path: string) => JSON.stringify(path.slice(0, 300))

export class FileNotFound extends Schema.TaggedError<FileNotFound>()("FileNotFound", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `There is no file ${named(this.path)}: ${this.reason}.`
  }
}

/** A path or a name that no file of a user may have. `field` is what gave it. */
export class FilePathInvalid extends Schema.TaggedError<FilePathInvalid>()("FilePathInvalid", {
  field: Field,
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${named(this.path)}: ${this.reason}.`
  }
}

/** An upload is missing something, or has a value that does not fit. */
export class UploadInvalid extends Schema.TaggedError<UploadInvalid>()("UploadInvalid", {
  field: Field,
  reason: Schema.String
}) {
  override get message() {
    return `${this.field}: ${this.reason}.`
  }
}

export class FileTypeRefused extends Schema.TaggedError<FileTypeRefused>()("FileTypeRefused", {
  filename: Schema.String.annotations({ description: "Name of the file" }),
  reason: Schema.String
}) {
  override get message() {
    return `${named(this.filename)} is not accepted: ${this.reason}`
  }
}

export class FileTooLarge extends Schema.TaggedError<FileTooLarge>()("FileTooLarge", {
  limit_bytes: Size
}) {
  override get message() {
    return `The file is larger than ${this.limit_bytes} bytes, the limit of MAX_UPLOAD_MB.`
  }
}

export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  reason: Schema.String
}) {
  override get message() {
    return `The file does not fit into the user's storage: ${this.reason}. Delete files first.`
  }
}

/** The service's disk is full or not accessible. */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The file storage can't be used now: ${this.reason}.`
  }
}
