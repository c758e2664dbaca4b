import type { ModelTested } from "@troupe/api/ModelsApi"
import { Duration, Effect } from "effect"
import { CallTimeLeft } from "../Runtime/CallTimeLeft.ts"
import { type LanguageModel, type ModelError, noTools } from "./Model.ts"

/** Longer than a model takes to be loaded by a server of one's own. */
const timeout = Duration.seconds(60)

/** One call, as small as it can be. */
export const smallCall = ({ generate }: Pick<LanguageModel, "generate">) =>
  generate({
    system: "Answer with one word.",
    messages: [{ role: "user", content: "Say OK." }],
    tools: noTools,
    // The least that the Responses API takes.
    maxOutputTokens: 16
  })

/** A model that thinks may use up the few tokens without a word: it answers, too. */
const answersCut = (error: ModelError): boolean => error._tag === "ModelRejected" && error.status === 200

/** Whether the model answers, by a real call that is not repeated. */
export const tested = (model: LanguageModel): Effect.Effect<ModelTested> =>
  smallCall(model).pipe(
    Effect.provideService(CallTimeLeft, () => Duration.toMillis(timeout)),
    Effect.map(({ inputTokens, outputTokens }) => ({
      ok: true,
      detail: `${model.model} answered (${inputTokens} + ${outputTokens} tokens).`
    })),
    Effect.catchAll((error) =>
      Effect.succeed(
        answersCut(error)
          ? { ok: true, detail: `${model.model} answered.` }
          : { ok: false, detail: error.message }
      )
    ),
    Effect.timed,
    Effect.map(([time, result]) => ({ ...result, latency_ms: Math.round(Duration.toMillis(time)) }))
  )
