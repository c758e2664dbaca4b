import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Finding } from "@troupe/domain/Finding"
import { Console, Effect, Layer, Logger, LogLevel, Schema, Stream } from "effect"
import { diagnose } from "./apps/doctor.ts"

// One finding a line, as JSON, for `troupe doctor`. What the service would log is no finding.
diagnose({ callModel: process.argv.includes("--model") }).pipe(
  Stream.mapEffect(Schema.encode(Schema.parseJson(Finding))),
  Stream.runForEach((line) => Console.log(line)),
  Effect.provide(Layer.merge(NodeContext.layer, Logger.minimumLogLevel(LogLevel.None))),
  NodeRuntime.runMain
)
