import type { UserId } from "@troupe/domain/Ids"
import type { UploadedFile } from "@troupe/domain/UserFile"
import { Effect, Option } from "effect"
import { openAsBlob } from "node:fs"
import { basename } from "node:path"
import { CommandFailed } from "./CommandFailed.ts"
import { safeLine } from "./SafeText.ts"
import { Service } from "./Service.ts"

/** Uploads a file under its name, or another one. It is sent piece by piece. */
export const upload = (
  path: string,
  options: { readonly user: Option.Option<UserId>; readonly name?: string | undefined }
): Effect.Effect<UploadedFile, CommandFailed, Service> =>
  Effect.gen(function*() {
    const { call } = yield* Service
    const content = yield* Effect.tryPromise({
      try: () => openAsBlob(path),
      catch: () => new CommandFailed({ reason: "usage", message: `The file ${safeLine(path)} can't be read.` })
    })
    const form = new FormData()
    if (Option.isSome(options.user)) form.set("user_id", options.user.value)
    form.set("file", content, options.name ?? basename(path))
    return yield* call(({ files }) => files.upload({ payload: form }))
  })
