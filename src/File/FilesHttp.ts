import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentUser } from "@troupe/api/Authentication"
import { FileCursor } from "@troupe/api/FilesApi"
import { ProblemError } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import type { UserId } from "@troupe/domain/Ids"
import type { UploadedFile } from "@troupe/domain/UserFile"
import { Effect, Option, Schema } from "effect"
import { ownIdOf } from "../People/User/Access.ts"
import { makeConcurrencyLimit } from "../Runtime/ConcurrencyLimit.ts"
import { pageResponse } from "../Runtime/Database/Page.ts"
import { downloadResponse } from "./Download.ts"
import { Files } from "./Files.ts"

/** A file is a path and a few facts, and each piece reads the folder again. */
const maxPageEntries = 1_000

/** Browsers open six connections to a host. */
const maxUploadsPerCaller = 8

const encodeCursor = Schema.encodeSync(FileCursor)

const created = (file: UploadedFile) =>
  HttpServerResponse.unsafeJson(file satisfies typeof UploadedFile.Encoded, {
    status: 201,
    headers: { location: `/files/${file.user_id}/${encodeURIComponent(file.path)}` }
  })

const nameOf = (path: string): string => path.split("/").findLast((name) => name !== "") ?? "file"

export const FilesHttp = HttpApiBuilder.group(TroupeApi, "files", (handlers) =>
  Effect.map(Files, (files) => {
    const uploads = makeConcurrencyLimit<UserId>(
      maxUploadsPerCaller,
      ProblemError.of(
        "too-many-uploads",
        `At most ${maxUploadsPerCaller} uploads of a caller run at a time. Try again.`
      )
    )
    const slot = Effect.flatMap(CurrentUser, ({ id }) => Effect.orDie(uploads.hold(id)))
    const download = (request: HttpServerRequest.HttpServerRequest, user: string, path: string) =>
      Effect.flatMap(ownIdOf(user), (id) => downloadResponse(request, nameOf(path), files.open(id, path)))
    const remove = (user: string, path: string) => Effect.flatMap(ownIdOf(user), (id) => files.remove(id, path))
    return handlers
      .handle(
        "upload",
        ({ payload }) => Effect.scoped(Effect.zipRight(slot, Effect.map(files.upload(payload), created)))
      )
      .handle("list", ({ path, request: { url }, urlParams: query }) =>
        Effect.flatMap(ownIdOf(path.user_id), (id) =>
          pageResponse({ url, query }, {
            read: ({ cursor, limit }) =>
              files.list(id, { after: Option.getOrElse(cursor, () => ""), limit }),
            positionOf: ({ path }) => path,
            entriesAtOnce: maxPageEntries,
            encode: encodeCursor
          })))
      .handle("usage", ({ path }) =>
        Effect.flatMap(ownIdOf(path.user_id), files.usage))
      .handle("download", ({ path, request }) => download(request, path.user_id, path.path))
      .handle("downloadNested", ({ path, request }) => download(request, path.user_id, path["*"]))
      .handle("remove", ({ path }) => remove(path.user_id, path.path))
      .handle("removeNested", ({ path }) => remove(path.user_id, path["*"]))
  }))
