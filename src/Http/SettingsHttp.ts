import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { CurrentUser } from "@troupe/api/Authentication"
import type { SettingsTest, SettingsTestReport, TestedSection, TestStep } from "@troupe/api/SettingsApi"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Duration, Effect } from "effect"
import type { SettingValues } from "../Runtime/Settings/Settings.ts"
import { StoredSettings } from "../Runtime/Settings/StoredSettings.ts"

export interface SettingTrial {
  readonly values: SettingValues
  /** Whether some of the values are not in effect. */
  readonly isGiven: boolean
  /** Where a mail is to be sent; null: nowhere. */
  readonly mailTo: string | null
}

/** Tries what settings are for. */
export type SettingTests<R> = Readonly<
  Record<TestedSection, (trial: SettingTrial) => Effect.Effect<ReadonlyArray<TestStep>, never, R>>
>

/** One thing that is tried: it succeeds with what was found, or fails with why it does not work. */
export const tried = <R>(
  name: string,
  work: Effect.Effect<string, { readonly message: string }, R>,
  timeout: Duration.DurationInput = "25 seconds"
): Effect.Effect<TestStep, never, R> =>
  work.pipe(
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () => ({ message: `No answer within ${Duration.format(timeout)}.` })
    }),
    Effect.match({
      onFailure: ({ message }) => ({ name, status: "failed" as const, detail: message }),
      onSuccess: (detail) => ({ name, status: "ok" as const, detail })
    })
  )

export const SettingsHttp = <R>(tests: SettingTests<R>) =>
  HttpApiBuilder.group(TroupeApi, "settings", (handlers) =>
    Effect.gen(function*() {
      const settings = yield* StoredSettings
      const context = yield* Effect.context<R>()

      const test = Effect.fn("Settings.test")(function*({ mail_to, section, values = {} }: SettingsTest) {
        const trial = {
          values: yield* settings.tried(values),
          isGiven: Object.keys(values).length > 0,
          mailTo: mail_to ?? null
        }
        const [elapsed, steps] = yield* Effect.timed(Effect.provide(tests[section](trial), context))
        return {
          ok: steps.every(({ status }) => status !== "failed"),
          detail: steps.map(({ detail }) => detail).join(" "),
          latency_ms: Math.round(Duration.toMillis(elapsed)),
          steps
        } satisfies SettingsTestReport
      })

      return handlers
        .handle("list", () => settings.list)
        .handle("change", ({ payload }) =>
          Effect.flatMap(CurrentUser, ({ id }) =>
            Effect.zipRight(settings.change(payload, id), settings.list)))
        .handle("history", () =>
          settings.history)
        .handle("test", ({ payload }) => test(payload))
    }))
