import { Context, Effect, Layer } from "effect"
import type { ModelSettings } from "../Runtime/Settings.ts"
import { makeChatCompletions } from "./ChatCompletions.ts"
import { EmbeddingCalls, notedEmbeddings } from "./EmbeddingCalls.ts"
import { Embeddings, makeRemoteEmbeddings } from "./Embeddings.ts"
import { Model } from "./Model.ts"
import { measured } from "./ModelMetrics.ts"
import { offlineModel } from "./Offline.ts"
import { offlineEmbeddings } from "./OfflineEmbeddings.ts"
import { rememberedEmbeddings } from "./RememberedEmbeddings.ts"
import { makeRemoteModel } from "./RemoteModel.ts"
import { makeResponses } from "./Responses.ts"
import { Transport } from "./Transport.ts"

/** The model that the settings choose, and the embeddings of the same provider. */
export const layer = (settings: ModelSettings): Layer.Layer<EmbeddingCalls | Embeddings | Model, never, Transport> =>
  Layer.effectContext(Effect.gen(function*() {
    const transport = yield* Transport
    const { provider } = settings
    if (provider._tag === "offline") {
      return Context.make(Model, measured(offlineModel)).pipe(
        Context.add(Embeddings, offlineEmbeddings),
        Context.add(EmbeddingCalls, { last: Effect.succeedNone })
      )
    }
    const dialect = provider._tag === "openai"
      ? makeResponses(settings, provider)
      : makeChatCompletions(settings, provider)
    const { calls, embeddings } = yield* notedEmbeddings(makeRemoteEmbeddings(transport, settings, provider))
    return Context.make(Model, measured(makeRemoteModel(transport, settings, provider, dialect))).pipe(
      Context.add(Embeddings, yield* rememberedEmbeddings(embeddings)),
      Context.add(EmbeddingCalls, calls)
    )
  }))
