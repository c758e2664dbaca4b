import { Cause, Effect, Layer, Option } from "effect"
import { counter, histogram, secondsUpTo, stopwatch } from "../Runtime/Metrics.ts"
import { Model } from "./Model.ts"

const calls = counter(
  "troupe_model_calls",
  "Calls of the language model that were not interrupted, each with all its retries.",
  {
    outcome: ["answered", "unavailable", "rejected", "overflow", "died"]
  }
)

const callSeconds = histogram(
  "troupe_model_call_seconds",
  "How long a call of the language model took that was answered, with all its retries.",
  secondsUpTo(300)
)

const tokens = counter("troupe_model_tokens", "Tokens that were sent to the language model and that it wrote.", {
  direction: ["input", "output"]
})

const outcomes = { ModelUnavailable: "unavailable", ModelRejected: "rejected", ContextOverflow: "overflow" } as const

export const layer: Layer.Layer<Model, never, Model> = Layer.effect(
  Model,
  Effect.map(Model, (model) => measured(model))
)

const measured = (model: Model["Type"]): Model["Type"] => ({
  ...model,
  generate: (request) =>
    Effect.suspend(() => {
      const elapsed = stopwatch()
      return Effect.matchCauseEffect(model.generate(request), {
        onSuccess: (response) => {
          calls(1, { outcome: "answered" })
          callSeconds(elapsed())
          tokens(response.inputTokens, { direction: "input" })
          tokens(response.outputTokens, { direction: "output" })
          return Effect.succeed(response)
        },
        onFailure: (cause) => {
          calls(1, {
            outcome: Option.match(Cause.failureOption(cause), {
              onSome: ({ _tag }) => outcomes[_tag],
              onNone: () => "died"
            })
          })
          return Effect.failCause(cause)
        }
      })
    })
})
