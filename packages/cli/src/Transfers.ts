import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Problem, ProblemError } from "@troupe/api/Problem"
import type { UploadedFile } from "@troupe/domain/UserFile"
import { Effect, Option, Predicate, Schema, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { constants, openAsBlob } from "node:fs"
import { copyFile, link } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { safeLine } from "./Format.ts"
import { call, segment, Service } from "./Service.ts"

/** Uploads a file under its name, or another one. It is sent piece by piece. */
export const upload = (
  path: string,
  options: { readonly user: Option.Option<string>; readonly name?: string | undefined }
): Effect.Effect<UploadedFile, CommandFailed, Service> =>
  Effect.gen(function*() {
    const content = yield* Effect.tryPromise({
      try: () => openAsBlob(path),
      catch: () => wrongUsage(`The file ${safeLine(path)} can't be read.`)
    })
    const form = new FormData()
    if (Option.isSome(options.user)) form.set("user_id", options.user.value)
    form.set("file", content, options.name ?? basename(path))
    return yield* call(({ files }) => files.upload({ payload: form }))
  })

/**
 * Downloads a file of a user, piece by piece. It appears as `target` when all of it has arrived; something that has this
 * name is never overwritten.
 */
export const download = (
  owner: string,
  path: string,
  target: string
): Effect.Effect<void, CommandFailed, FileSystem.FileSystem | Service> =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const { http, url } = yield* Service
    const unwritable = (message: string) =>
      wrongUsage(
        `${safeLine(target, 1000)} can't be written, or exists already: ${
          safeLine(message, 1000)
        }. Choose another place with --output.`
      )
    if (yield* Effect.orElseSucceed(files.exists(target), () => false)) {
      return yield* unwritable("something has this name")
    }
    const response = yield* call(() =>
      Effect.tap(http.get(`/files/${segment(owner)}/${segment(path)}`), (response) =>
        response.status === 200 ? Effect.void : Effect.flatMap(failureOf(response), Effect.fail))
    )
    const temporary = yield* Effect.acquireRelease(
      Effect.sync(() =>
        join(dirname(target), `.troupe-${randomUUID()}.part`)
      ),
      (temporary) => Effect.ignore(files.remove(temporary, { force: true }))
    )
    const content = Stream.mapError(response.stream, () =>
      new CommandFailed({
        reason: "unavailable",
        message: `The connection to ${url} was lost before all of the file had arrived. Nothing was kept; try again.`
      }))
    yield* Stream.run(content, files.sink(temporary, { flag: "wx" })).pipe(
      Effect.catchIf((error) => !(error instanceof CommandFailed), ({ message }) => unwritable(message))
    )
    yield* Effect.tryPromise({
      try: () => giveName(temporary, target),
      catch: (cause) => unwritable(cause instanceof Error ? cause.message : String(cause))
    })
  }).pipe(Effect.scoped)

/** Unlike a rename, neither way replaces a file; not every file system has links. */
const giveName = (temporary: string, target: string): Promise<void> =>
  link(temporary, target).catch((cause: unknown) =>
    Predicate.hasProperty(cause, "code") && cause.code === "EEXIST"
      ? Promise.reject(cause)
      : copyFile(temporary, target, constants.COPYFILE_EXCL)
  )

const failureOf = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<HttpClientError.ResponseError | ProblemError> =>
  Effect.match(Effect.flatMap(response.json, Schema.decodeUnknown(Problem)), {
    onFailure: () => new HttpClientError.ResponseError({ request: response.request, response, reason: "StatusCode" }),
    onSuccess: (problem) => new ProblemError(problem)
  })
