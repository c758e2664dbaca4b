import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Process from "@effect/platform/Command"
import { plural } from "@troupe/domain/Text"
import { type UpgradeReport, UpgradeResult } from "@troupe/domain/UpgradeReport"
import { Effect, Schema } from "effect"
import { execPath } from "node:process"
import { connection } from "./Arguments.ts"
import { CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { safeLine, safeText } from "./Format.ts"
import { needed, serviceOption } from "./Installation.ts"
import { Screen } from "./Screen.ts"

/** What `troupe upgrade --check` prints of a start that would go well. */
export const shown = ({ backup, database_version, is_new, migrations, version, warnings }: UpgradeReport): string =>
  [
    `Troupe ${version}${
      is_new ? "" : `; the database is of ${database_version === null ? "a version before 0.2.0" : database_version}`
    }`,
    ...(is_new
      ? ["The first start creates the tables."]
      : migrations.length === 0
      ? ["Nothing to do"]
      : [
        `The next start applies ${plural(migrations.length, "migration")}:`,
        ...migrations.map(({ id, purpose }) => `  ${String(id).padStart(4, "0")}  ${safeLine(purpose, 200)}`)
      ]),
    ...(backup === null ? [] : [
      `Before that it saves the database to ${safeLine(backup, 1000)}, until a later start has gone well.`
    ]),
    ...warnings.map((warning) => `Warning: ${safeText(warning)}`),
    ""
  ].join("\n")

export const upgrade = Command.make(
  "upgrade",
  {
    json: connection.json,
    check: Options.boolean("check").pipe(
      Options.withDescription("Say what the next start of this version would do, and change nothing")
    ),
    service: serviceOption
  },
  ({ check, json, service }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      if (!check) {
        return yield* wrongUsage(
          "The first start of a newer version upgrades: install it, stop the service, and start it again.\n"
            + `${screen.program} upgrade --check says before what that start would do.`
        )
      }
      const { folder, program } = yield* needed(service, "upgrade.js")
      const output = yield* Process.make(execPath, program).pipe(
        Process.workingDirectory(folder),
        Process.stderr("inherit"),
        Process.string,
        Effect.flatMap(Schema.decode(UpgradeResult)),
        Effect.mapError(({ message }) =>
          new CommandFailed({ reason: "failed", message: `${program} ended without a result: ${message}` })
        )
      )
      if (json) yield* screen.json(output)
      if ("refused" in output) {
        return yield* new CommandFailed({ reason: "failed", message: json ? "" : safeText(output.refused) })
      }
      if (!json) yield* screen.write(shown(output))
    })
).pipe(Command.withDescription("Says what an upgrade would do"))
