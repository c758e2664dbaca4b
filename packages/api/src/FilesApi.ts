import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { StorageUsage, UploadedFile, UserFile } from "@troupe/domain/UserFile"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, person, titled, userId, withStatus } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const path = pathParameter("path", "Path of the file; a / may be written as it is or as %2F")
/** The same with unencoded slashes, which a parameter of a path can't have. */
const anyPath = Schema.Struct({ user_id: Schema.String, "*": Schema.String })

/** The path of the last file of the previous page. */
export const FileCursor = Schema.compose(Schema.StringFromBase64Url, Schema.NonEmptyString)

/** The server reads the body piece by piece, so the order of the fields is free and its file is never in memory. */
const Upload = HttpApiSchema.MultipartStream(
  Schema.Struct({
    user_id: Schema.optional(person(
      "The owner of the file; default: the caller, or `default`. Send it before the file: until then the file counts "
        + "against the caller's quota"
    )),
    file: Schema.String.annotations({
      jsonSchema: {
        type: "string",
        format: "binary",
        description: "The file, with its name. An existing file of that name is replaced once all of it has arrived"
      }
    })
  })
)

const content = HttpApiSchema.Uint8Array({ contentType: "application/octet-stream" })
const fileErrors = Schema.Union(Problems.userNotFound, Problems.fileNotFound, Problems.filePathInvalid)

const download = HttpApiEndpoint.get("download")`/files/${userId}/${path}`
  .addSuccess(content)
  .addError(fileErrors)
  .annotateContext(
    described(
      "The content, as an attachment. Range (one range), If-Range, If-None-Match and If-Modified-Since are supported"
    )
  )

const remove = HttpApiEndpoint.del("remove")`/files/${userId}/${path}`
  .addSuccess(HttpApiSchema.NoContent)
  .addError(fileErrors)
  .annotateContext(described("Deletes a file"))

/** The files of users. */
export class FilesApi extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.post("upload", "/upload-file")
      .setPayload(Upload)
      .addSuccess(withStatus(201, UploadedFile))
      .addError(Problems.personUnknown)
      .addError(Problems.uploadInvalid)
      .addError(Problems.filePathInvalid)
      .addError(Problems.fileTypeRefused)
      .addError(Problems.fileTooLarge)
      .addError(Problems.quotaExceeded)
      .annotateContext(described("Uploads a file, for the attachments of a task and the tools of the agent"))
  )
  .add(
    HttpApiEndpoint.get("list")`/files/${userId}`
      .setUrlParams(checkedWhole(Schema.Struct(page(FileCursor))))
      .addSuccess(Schema.Array(UserFile))
      .addError(Problems.userNotFound)
      .annotateContext(described("All files of a user, those in folders too, by path"))
  )
  .add(
    HttpApiEndpoint.get("usage")`/users/${userId}/storage`
      .addSuccess(StorageUsage)
      .addError(Problems.userNotFound)
      .annotateContext(described("How much of the storage quota the user's files take; measured once a minute"))
  )
  .add(download)
  .add(remove)
  .add(
    HttpApiEndpoint.get("downloadNested", "/files/:user_id/*").setPath(anyPath)
      .addSuccess(content)
      .addError(fileErrors)
      .annotate(OpenApi.Exclude, true)
  )
  .add(
    HttpApiEndpoint.del("removeNested", "/files/:user_id/*").setPath(anyPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(fileErrors)
      .annotate(OpenApi.Exclude, true)
  )
  .addError(Problems.storageUnavailable)
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Files", "The files of users."))
{}
