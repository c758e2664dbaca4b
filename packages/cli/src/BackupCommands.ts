import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Process from "@effect/platform/Command"
import { type BackupReport, BackupResult } from "@troupe/domain/BackupReport"
import { plural } from "@troupe/domain/Text"
import { Effect, type Option, Schema } from "effect"
import { resolve } from "node:path"
import { execPath } from "node:process"
import { connection } from "./Arguments.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { count, safeLine, safeText, size } from "./Format.ts"
import { needed, serviceOption } from "./Installation.ts"
import { Screen } from "./Screen.ts"

/** Runs the program of the service, which has its settings, in its folder. */
const execute = (service: Option.Option<string>, words: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { folder, program } = yield* needed(service, "backup.js")
    const output = yield* Process.make(execPath, program, ...words).pipe(
      Process.workingDirectory(folder),
      Process.stderr("inherit"),
      Process.string,
      Effect.flatMap(Schema.decode(BackupResult)),
      Effect.mapError(({ message }) =>
        new CommandFailed({ reason: "unavailable", message: `${program} ended without a result: ${message}` })
      )
    )
    return "refused" in output
      ? yield* new CommandFailed({ reason: "refused", message: safeText(output.refused) })
      : output
  })

const contents = ({ files, rows }: BackupReport): string => `${count(rows)} rows and ${plural(files, "file")}`

const maxLeftOut = 20

const archive = Args.text({ name: "file" })

export const backup = Command.make(
  "backup",
  {
    json: connection.json,
    service: serviceOption,
    file: Args.withDescription(archive, "The archive to write, for example troupe.tar.gz; an existing file is kept")
  },
  ({ file, json, service }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const report = yield* execute(service, ["backup", resolve(file)])
      if (json) return yield* screen.json(report)
      yield* screen.write(`${safeLine(file, 1000)}: ${contents(report)}, ${size(report.bytes)}\n`)
      const leftOut = report.left_out
      if (leftOut.length > 0) {
        yield* screen.note(
          `${screen.notePaint.yellow("!")} Not in it are links and files that could not be read:\n${
            leftOut.slice(0, maxLeftOut).map((path) => `  ${safeLine(path)}\n`).join("")
          }${leftOut.length > maxLeftOut ? `  and ${leftOut.length - maxLeftOut} more\n` : ""}`
        )
      }
      yield* screen.note("Keep it safe: it contains what people and agents wrote. Keep .env too, which is not in it.\n")
    })
).pipe(Command.withDescription("Saves the database and the files of the service on this machine, while it runs"))

export const restore = Command.make(
  "restore",
  {
    json: connection.json,
    service: serviceOption,
    replace: Options.boolean("replace").pipe(
      Options.withDescription("Delete what the service has now; without this, a service with data is refused")
    ),
    file: Args.withDescription(archive, "An archive of troupe backup")
  },
  ({ file, json, replace, service }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const report = yield* execute(service, ["restore", resolve(file), ...(replace ? ["--replace"] : [])])
      if (json) return yield* screen.json(report)
      yield* screen.write(`Restored ${contents(report)}.\n`)
      yield* screen.note("Start the service now; paused tasks continue.\n")
    })
).pipe(Command.withDescription("Restores a backup into the stopped service on this machine"))
