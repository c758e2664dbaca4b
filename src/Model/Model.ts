import type { AssistantMessage, Message, UserMessage } from "@troupe/domain/Message"
import type { ModelPrice } from "@troupe/domain/ModelPrice"
import type { ProviderName } from "@troupe/domain/ModelProvider"
import { Context, Duration, Effect, Schema } from "effect"

/** A tool as a model sees it: `parameters` is a JSON Schema (draft 2020-12) object. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The tools of a call. Sets are built once, so an adapter may cache their JSON by identity. */
export interface ToolSet {
  readonly tools: ReadonlyArray<ToolDefinition>
}

export const noTools: ToolSet = { tools: [] }

export interface UserMessageWithImages extends UserMessage {
  readonly imageUrls: ReadonlyArray<string>
}

/** A message as it is sent. Images that are only named in it are not seen. */
export type SentMessage = Message | UserMessageWithImages

export const imageUrlsOf = (message: SentMessage): ReadonlyArray<string> =>
  "imageUrls" in message ? message.imageUrls : []

export interface ModelRequest {
  readonly system: string
  readonly messages: ReadonlyArray<SentMessage>
  readonly tools: ToolSet
  /** Limit of the answer; without it, the model's own. */
  readonly maxOutputTokens?: number
  /** Without it, the one of the settings. */
  readonly temperature?: number
  /** The messages to summarise, for the offline model, which can't read them in `messages`. */
  readonly summarises?: ReadonlyArray<Message>
  /** Receives the text while it is written. A retry starts it again, so only the response is complete. */
  readonly onText?: (delta: string) => Effect.Effect<void>
  /** The answer of the offline model where one in a given form is asked for. */
  readonly offline?: () => string
  /**
   * The window that the conversation was fitted to. A fallback with a smaller one, which it does not fit, is not called: the
   * call fails with `ContextOverflow` and that window.
   */
  readonly contextTokens?: number
}

export interface ModelResponse {
  readonly message: AssistantMessage
  readonly inputTokens: number
  readonly outputTokens: number
  /** How much of the input the provider had cached; left out where it reports none. */
  readonly cachedTokens?: number
  /** For people, not for the model: what it needs of its own thinking is in the message. */
  readonly thinking?: string
  /** Set at an output limit: what happened and what to do. The last tool call may be incomplete. */
  readonly cut?: string
  /** A content filter of the provider cut the answer off, not the output limit. */
  readonly isFiltered?: true
  /** The name of the model that answered; left out for the model of the settings. */
  readonly model?: string
  /** By the price of the model, with what failed calls of other models cost; left out where it has none. */
  readonly cost?: number
}

const UsedTokens = Schema.Tuple(Schema.Int, Schema.Int)
export type UsedTokens = typeof UsedTokens.Type

/** What the provider counted for failed calls; absent where it counted nothing. */
const tokens = Schema.optional(UsedTokens)

/** The provider failed or cannot be reached, which may pass. `reason` and `fix` hold no secrets. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  provider: Schema.String,
  /** What happened: a whole sentence, or one without its full stop where there is a `fix`. */
  reason: Schema.String,
  fix: Schema.optional(Schema.String),
  retryAfter: Schema.optional(Schema.DurationFromSelf),
  attempts: Schema.optional(Schema.Int),
  tokens
}) {
  override get message() {
    if (this.fix === undefined) return this.reason
    const times = this.attempts === undefined || this.attempts === 1 ? "" : `, ${this.attempts} times in a row`
    const wait = this.retryAfter === undefined ? "" : ` and asks to wait ${Duration.format(this.retryAfter)}`
    return `${this.reason}${times}${wait}. ${this.fix}`
  }
}

/** The provider refuses the request as it stands (400, 401, 403, 404): repeating it would not help. */
export class ModelRejected extends Schema.TaggedError<ModelRejected>()("ModelRejected", {
  provider: Schema.String,
  status: Schema.Int,
  reason: Schema.String,
  /** The provider has nothing at the address that was called; another of its addresses may serve the model. */
  isAddressMissing: Schema.optional(Schema.Boolean),
  /** What is wrong, where the provider says that it is one of these. */
  wrong: Schema.optional(Schema.Literal("key", "model")),
  tokens
}) {
  override get message() {
    return this.reason
  }
}

/** The conversation is longer than the model's context window. */
export class ContextOverflow extends Schema.TaggedError<ContextOverflow>()("ContextOverflow", {
  provider: Schema.String,
  reason: Schema.String,
  /** The window of the fallback that would be called next, where the conversation is too long for that alone. */
  contextTokens: Schema.optional(Schema.Int)
}) {
  override get message() {
    return this.reason
  }
}

export type ModelError = ModelUnavailable | ModelRejected | ContextOverflow

export const tokensOf = (error: ModelError): UsedTokens | undefined =>
  error._tag === "ContextOverflow" ? undefined : error.tokens

export const plus = ([input, output]: UsedTokens, [more, moreOutput]: UsedTokens = [0, 0]): UsedTokens => [
  input + more,
  output + moreOutput
]

/** The error with these tokens beside its own. */
export const withMoreTokens = (error: ModelError, more: UsedTokens): ModelError => {
  if (error._tag === "ContextOverflow" || more[0] + more[1] === 0) return error
  const tokens = plus(more, error.tokens)
  return error._tag === "ModelRejected"
    ? new ModelRejected({ ...error, tokens })
    : new ModelUnavailable({ ...error, tokens })
}

/** The model refuses these texts; others may be sent. A wrong key or address has another status. */
export const refusesTexts = (error: ModelError): boolean =>
  error._tag === "ContextOverflow" || (error._tag === "ModelRejected" && [400, 413, 422].includes(error.status))

/** A model, whichever provider answers. An adapter tries a call once. */
export interface LanguageModel {
  readonly provider: ProviderName | "offline"
  readonly model: string
  /** Whether images of this media type may be sent to it. */
  readonly sees: (mediaType: string) => boolean
  readonly generate: (request: ModelRequest) => Effect.Effect<ModelResponse, ModelError>
  /** A cheap request that shows whether the provider answers and accepts the key. */
  readonly probe: Effect.Effect<void, ModelError>
}

/** A model for the next call, with its fallbacks behind it: what it says of itself is of the one that is tried first. */
export interface ChosenModel extends LanguageModel {
  /** Its name among the models of the service. */
  readonly name?: string
  readonly contextTokens?: number
  readonly price?: ModelPrice | undefined
}

/** The language model of this service: the default of its models, whichever that is at the time of a call. */
export class Model extends Context.Tag("troupe/Model/Model")<
  Model,
  LanguageModel & {
    /** The model of this name, else the default; left out where there is no other one. */
    readonly choose?: (name: string | null) => Effect.Effect<ChosenModel>
    /** What the provider calls the model of the settings; left out where there is no other one. */
    readonly ofSettings?: string
  }
>() {}

/** The model of this name for the next call, else the default. */
export const chosen = (model: Model["Type"], name: string | null | undefined = null): Effect.Effect<ChosenModel> =>
  model.choose === undefined ? Effect.succeed(model) : model.choose(name ?? null)
