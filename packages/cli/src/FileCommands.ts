import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { UserFile } from "@troupe/domain/UserFile"
import { Effect, Option } from "effect"
import { basename } from "node:path"
import { connection, optional, userOption } from "./Arguments.ts"
import { wrongUsage } from "./CommandFailed.ts"
import { list, safeLine, size } from "./Format.ts"
import { Screen, writeDone, writeList, writeResult } from "./Screen.ts"
import { call, forService, ownerOf, segment } from "./Service.ts"
import { download, upload } from "./Transfers.ts"

export const fileTable = list<UserFile>(
  ["CHANGED", (file) => file.modified_at, "dim"],
  ["SIZE", (file) => size(file.size), "dim"],
  ["PATH", ({ path }) => safeLine(path, 1000)]
)

const path = Args.text({ name: "file" }).pipe(Args.withDescription("Path of the file in the user's folder"))

const put = Command.make(
  "put",
  {
    ...connection,
    user: userOption,
    name: optional(Options.text("name"), "Another name for the file"),
    paths: Args.file({ name: "file", exists: "yes" }).pipe(Args.withDescription("Files to upload"), Args.atLeast(1))
  },
  ({ json, name, paths, user }) =>
    Effect.gen(function*() {
      if (Option.isSome(name) && paths.length > 1) {
        return yield* wrongUsage("--name is for one file.")
      }
      const uploaded = yield* Effect.forEach(paths, (path) => upload(path, { user, name: Option.getOrUndefined(name) }))
      yield* writeResult(uploaded, {
        json,
        text: (files) => files.map((file) => `${safeLine(file.path, 1000)}\n`).join("")
      })
    })
).pipe(forService("Uploads files"))

const get = Command.make(
  "get",
  {
    url: connection.url,
    token: connection.token,
    user: userOption,
    output: optional(
      Options.withAlias(Options.text("output"), "o"),
      "Where to write it; default: its name, in this folder. An existing file is kept"
    ),
    path
  },
  ({ output, path, user }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const target = Option.getOrElse(output, () => basename(path))
      yield* download(yield* ownerOf(user), path, target)
      yield* screen.write(`${safeLine(target, 1000)}\n`)
    })
).pipe(forService("Downloads a file"))

const remove = Command.make(
  "delete",
  { ...connection, user: userOption, path },
  ({ json, path, user }) =>
    Effect.gen(function*() {
      const owner = yield* ownerOf(user)
      yield* call(({ files }) => files.remove({ path: { user_id: segment(owner), path: segment(path) } }))
      yield* writeDone({ deleted: path }, { json, note: "Deleted." })
    })
).pipe(forService("Deletes a file"))

export const files = Command.make(
  "files",
  { ...connection, user: userOption },
  ({ json, user }) =>
    Effect.gen(function*() {
      const owner = yield* ownerOf(user)
      const found = yield* call((client) =>
        client.files.list({ path: { user_id: segment(owner) }, urlParams: { limit: 1000 } })
      )
      yield* writeList(found, { json, table: fileTable, none: "No files." })
    })
).pipe(forService("Lists the files of a user"), Command.withSubcommands([put, get, remove]))
