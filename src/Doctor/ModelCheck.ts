import { error, type Finding, ok, skipped, warning } from "@troupe/domain/Finding"
import { Duration, Effect, Layer } from "effect"
import * as LanguageModels from "../Model/LanguageModels.ts"
import { Model, noTools } from "../Model/Model.ts"
import * as ModelHttpClient from "../Model/ModelHttpClient.ts"
import type { ModelSettings } from "../Model/ModelSettings.ts"
import { settingUp } from "../Runtime/Settings/ModelProviders.ts"
import type { Check } from "./Check.ts"

const callOnce: Effect.Effect<Finding, never, Model> = Effect.flatMap(
  Model,
  ({ generate, model, provider }) =>
    generate({
      system: "Answer with one word.",
      messages: [{ role: "user", content: "Say OK." }],
      tools: noTools,
      // The least that the Responses API takes.
      maxOutputTokens: 16
    }).pipe(
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

/** Which model is set up; with `call`, whether it answers, by a real call. */
export const modelCheck = (settings: ModelSettings, call: boolean): Check => ({
  name: "model",
  run: Effect.gen(function*() {
    const { provider } = settings
    if (provider._tag === "offline") {
      return [
        warning(
          "model",
          "No model is set up; the offline model answers, which understands no language.",
          `Set ${settingUp}.`
        )
      ]
    }
    if (!call) {
      return [
        skipped(
          "model",
          `${provider.model} of ${provider._tag} is set up and was not called.`,
          "Call it with: troupe doctor --model"
        )
      ]
    }
    return [
      yield* Effect.provide(
        callOnce,
        LanguageModels.layer(settings).pipe(Layer.provide(ModelHttpClient.layer({ timeout: Duration.seconds(15) })))
      )
    ]
  })
})
