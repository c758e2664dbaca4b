import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { CurrentUser } from "@troupe/api/Authentication"
import type { SettingsTest, SettingsTestReport, TestedSection } from "@troupe/api/SettingsApi"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Duration, Effect, Either } from "effect"
import type { SettingValues } from "../Runtime/Settings/Settings.ts"
import { StoredSettings } from "../Runtime/Settings/StoredSettings.ts"

/** Tries what settings are for; succeeds with what was found, or fails with why it does not work. */
export type SettingTests = Readonly<
  Record<TestedSection, (values: SettingValues) => Effect.Effect<string, { readonly message: string }>>
>

const timeout = "30 seconds"

export const SettingsHttp = (tests: SettingTests) =>
  HttpApiBuilder.group(TroupeApi, "settings", (handlers) =>
    Effect.gen(function*() {
      const { change, history, list, tried } = yield* StoredSettings

      const test = Effect.fn("Settings.test")(function*({ section, values = {} }: SettingsTest) {
        const run = Effect.timeoutFail(tests[section](yield* tried(values)), {
          duration: timeout,
          onTimeout: () => ({ message: `No answer within ${timeout}.` })
        })
        const [elapsed, found] = yield* Effect.timed(Effect.either(run))
        return {
          ok: Either.isRight(found),
          detail: Either.match(found, { onLeft: ({ message }) => message, onRight: (detail) => detail }),
          latency_ms: Math.round(Duration.toMillis(elapsed))
        } satisfies SettingsTestReport
      })

      return handlers
        .handle("list", () => list)
        .handle("change", ({ payload }) =>
          Effect.flatMap(CurrentUser, ({ id }) => Effect.zipRight(change(payload, id), list)))
        .handle("history", () =>
          history)
        .handle("test", ({ payload }) => test(payload))
    }))
