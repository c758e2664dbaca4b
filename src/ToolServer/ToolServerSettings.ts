import type { ToolServersReport, ToolServersRequest } from "@troupe/api/ToolServersApi"
import type { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { Context, type Duration, Effect, Layer, Schedule } from "effect"
import { asService } from "../Runtime/Isolation.ts"
import { type EntryRules, toolServersOf } from "./Entries.ts"
import { isSettled, reportOf } from "./Reports.ts"
import { ToolServerRepo } from "./ToolServerRepo.ts"

export class ToolServerSettings extends Context.Tag("troupe/ToolServer/ToolServerSettings")<ToolServerSettings, {
  readonly status: Effect.Effect<ToolServersReport>
  /** Stores the configuration; succeeds with the state of the servers when they are connected, or at the time-out. */
  readonly configure: (request: ToolServersRequest) => Effect.Effect<ToolServersReport, ToolServersInvalid>
  readonly clear: Effect.Effect<ToolServersReport>
}>() {
  static readonly layer = (options: {
    readonly rules: EntryRules
    readonly timeout?: Duration.DurationInput
  }): Layer.Layer<ToolServerSettings, never, ToolServerRepo> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const repo = yield* ToolServerRepo
        // Every member may see the state of the servers, which is all that is reported of the configuration.
        const read = asService(Effect.all({ configuration: repo.configuration, reports: repo.reports }))
        const applied = (version: number) =>
          read.pipe(
            Effect.filterOrFail((snapshot) => isSettled(snapshot, version), () => "connecting" as const),
            Effect.retry(Schedule.spaced("100 millis")),
            Effect.timeout(options.timeout ?? "8 seconds"),
            Effect.orElse(() => read),
            Effect.map(reportOf)
          )
        return ToolServerSettings.of({
          status: Effect.map(read, reportOf),
          configure: (request) =>
            toolServersOf(request, options.rules).pipe(Effect.flatMap(repo.store), Effect.flatMap(applied)),
          clear: Effect.flatMap(repo.store([]), applied)
        })
      })
    )
}
