import type { Either, Schema } from "effect"
import type { Answer } from "./Answer.ts"
import type { ModelRequest } from "./Model.ts"
import type { MaySend } from "./Negotiation.ts"
import type { CallFailure } from "./ProviderFailure.ts"

/** One of OpenAI's two protocols: how a model is asked, and how it answers. */
export interface Dialect<Event> {
  readonly path: string
  /** The body of a call; `may` says which optional parameters the model has not refused yet. */
  readonly body: (request: ModelRequest, may: MaySend) => string
  readonly read: (body: string) => Either.Either<Answer, CallFailure>
  readonly event: Schema.Schema<Event>
  readonly assembly: () => Assembly<Event>
}

export interface Assembly<Event> {
  readonly take: (event: Event) => Either.Either<string, CallFailure>
  /** What the events so far come to; a failure if the end is missing. */
  readonly answer: () => Either.Either<Answer, CallFailure>
}
