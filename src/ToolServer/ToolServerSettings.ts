import type { ToolServersReport, ToolServersRequest } from "@troupe/api/ToolServersApi"
import type { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { Context, type Duration, Effect, Layer, Schedule } from "effect"
import { type EntryRules, toolServersOf } from "./Entries.ts"
import { isSettled, reportOf } from "./Reports.ts"
import { ToolServerRepo } from "./ToolServerRepo.ts"

/** The use-cases over the configuration of the tool servers, in whatever process they run themselves. */
export class ToolServerSettings extends Context.Tag("troupe/ToolServer/ToolServerSettings")<ToolServerSettings, {
  readonly status: Effect.Effect<ToolServersReport>
  /** Stores the configuration and answers how the servers are once they are up, or after some seconds. */
  readonly configure: (request: ToolServersRequest) => Effect.Effect<ToolServersReport, ToolServersInvalid>
  readonly clear: Effect.Effect<ToolServersReport>
}>() {
  static readonly layer = (options: {
    readonly rules: EntryRules
    /** How long an answer waits for servers that are on their way up. */
    readonly patience?: Duration.DurationInput
  }): Layer.Layer<ToolServerSettings, never, ToolServerRepo> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const repo = yield* ToolServerRepo
        const look = Effect.all({ configuration: repo.configuration, reports: repo.reports })
        const applied = (version: number) =>
          look.pipe(
            Effect.filterOrFail(
              ({ configuration, reports }) => isSettled(configuration, reports, version),
              () => "not yet" as const
            ),
            Effect.retry(Schedule.spaced("100 millis")),
            Effect.timeout(options.patience ?? "8 seconds"),
            Effect.orElse(() => look),
            Effect.map(({ configuration, reports }) => reportOf(configuration, reports))
          )
        return ToolServerSettings.of({
          status: Effect.map(look, ({ configuration, reports }) => reportOf(configuration, reports)),
          configure: (request) =>
            toolServersOf(request, options.rules).pipe(Effect.flatMap(repo.store), Effect.flatMap(applied)),
          clear: Effect.flatMap(repo.store([]), applied)
        })
      })
    )
}
