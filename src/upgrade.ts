import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { UpgradeResult } from "@troupe/domain/UpgradeReport"
import { Console, Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { planUpgrade } from "./apps/upgrade.ts"
import { Settings } from "./Runtime/Settings/Settings.ts"

// One line of JSON for `troupe upgrade --check`: what a start would do, or why it would fail.
planUpgrade.pipe(
  Effect.provide(Settings.layer),
  Effect.catchAll(({ message }) => Effect.succeed({ refused: message })),
  Effect.flatMap(Schema.encode(UpgradeResult)),
  Effect.flatMap((line) => Console.log(line)),
  Effect.provide(Layer.merge(NodeContext.layer, Logger.minimumLogLevel(LogLevel.None))),
  NodeRuntime.runMain
)
