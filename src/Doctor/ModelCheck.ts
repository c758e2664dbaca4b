import { error, type Finding, ok, skipped } from "@troupe/domain/Finding"
import { Duration, Effect, Layer } from "effect"
import { modelLayer } from "../Model/LanguageModels.ts"
import { Model } from "../Model/Model.ts"
import * as ModelHttpClient from "../Model/ModelHttpClient.ts"
import type { ModelSettings } from "../Model/ModelSettings.ts"
import { smallCall } from "../Model/ModelTest.ts"
import { settingUp } from "../Runtime/Settings/ModelProviders.ts"
import type { Check } from "./Check.ts"

const callOnce: Effect.Effect<Finding, never, Model> = Effect.flatMap(
  Model,
  ({ generate, model, provider }) =>
    smallCall({ generate }).pipe(
      Effect.timed,
      Effect.match({
        onSuccess: ([time, { inputTokens, outputTokens }]) => {
          const millis = Math.round(Duration.toMillis(time))
          return ok(
            "model",
            `${model} of ${provider} answered in ${millis} ms (${inputTokens} + ${outputTokens} tokens).`
          )
        },
        onFailure: ({ message }) =>
          error(
            "model",
            `${model} of ${provider} did not respond: ${message}`,
            "Check the key, the model's name and the address."
          )
      })
    )
)

/** Only the running service knows the models that were connected. */
const notSetUp = skipped(
  "model",
  "The settings have no model; one that was connected answers, or else the offline model, which understands no language.",
  `Connect one in the console or with troupe models connect, or set ${settingUp}.`
)

/** Whether the model answers, by a real call. */
export const modelCheck = (settings: ModelSettings): Check => ({
  name: "model",
  run: settings.provider._tag === "offline" ? Effect.succeed([notSetUp]) : Effect.map(
    Effect.provide(
      callOnce,
      modelLayer(settings).pipe(Layer.provide(ModelHttpClient.layer({ timeout: Duration.seconds(15) })))
    ),
    (found) => [found]
  )
})
