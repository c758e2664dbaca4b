import {
  FileNotFound,
  FilePathInvalid,
  FileTooLarge,
  FileTypeRefused,
  QuotaExceeded,
  StorageUnavailable,
  UploadInvalid
} from "@troupe/domain/UserFile"
import { problem } from "./Problem.ts"

/** The domain errors of users' files, each with its problem. */
export const fileNotFound = problem(FileNotFound, { slug: "file-not-found", status: 404, title: "No such file" })

export const filePathInvalid = problem(FilePathInvalid, {
  slug: "file-path-invalid",
  status: 400,
  title: "The name or path of the file is not allowed",
  errors: ({ field, reason }) => [{ path: field, message: reason }]
})

export const uploadInvalid = problem(UploadInvalid, {
  slug: "upload-invalid",
  status: 400,
  title: "The upload is not valid",
  errors: ({ field, reason }) => [{ path: field, message: reason }]
})

export const fileTypeRefused = problem(FileTypeRefused, {
  slug: "file-type-refused",
  status: 415,
  title: "Files of this kind are not accepted"
})

export const fileTooLarge = problem(FileTooLarge, { slug: "too-large", status: 413, title: "Too large" })

export const quotaExceeded = problem(QuotaExceeded, {
  slug: "quota-exceeded",
  status: 413,
  title: "Storage quota exceeded"
})

export const storageUnavailable = problem(StorageUnavailable, {
  slug: "storage-unavailable",
  status: 503,
  title: "The file storage is unavailable"
})
