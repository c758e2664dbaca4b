import { Context, type Effect } from "effect"
import type { ModelError } from "./Model.ts"

/** Vectors of texts. An adapter tries a call once. */
export class Embeddings extends Context.Tag("troupe/Model/Embeddings")<Embeddings, {
  /** Names provider and model: only vectors of one `model` can be compared. */
  readonly model: string
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
}>() {}
