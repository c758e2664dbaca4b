import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { BackupResult } from "@troupe/domain/BackupReport"
import { Console, Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { backupTo, restoreFrom } from "./apps/backup.ts"
import { Settings } from "./Runtime/Settings/Settings.ts"

const [, , command, file = "", ...options] = process.argv

// One line of JSON for `troupe backup` and `troupe restore`: what was done, or why not.
Effect.suspend(() =>
  command === "restore" ? restoreFrom(file, { replace: options.includes("--replace") }) : backupTo(file)
).pipe(
  Effect.provide(Settings.layer),
  Effect.catchAll(({ message }) => Effect.succeed({ refused: message })),
  Effect.flatMap(Schema.encode(BackupResult)),
  Effect.flatMap((line) => Console.log(line)),
  Effect.provide(Layer.merge(NodeContext.layer, Logger.minimumLogLevel(LogLevel.None))),
  NodeRuntime.runMain
)
