import type * as HttpClient from "@effect/platform/HttpClient"
import type { ModelStatus } from "@troupe/domain/LanguageModel"
import type { ModelPrice } from "@troupe/domain/ModelPrice"
import { Clock, Context, Duration, Effect, Fiber, Layer, type Scope } from "effect"
import { modelLayer } from "./LanguageModels.ts"
import { type LanguageModel, Model, type ModelError, type ModelRequest, type ModelResponse } from "./Model.ts"
import { type RetryPolicy, withRetries } from "./ModelCalls.ts"
import { type ModelSettings, seesImages } from "./ModelSettings.ts"
import { type SpanOptions, withSpans } from "./ModelSpans.ts"
import { offlineModel } from "./Offline.ts"

/** A model of the service, by values. */
export interface ModelDefinition {
  readonly name: string
  readonly settings: ModelSettings
  readonly contextTokens: number
  readonly price: ModelPrice | undefined
  readonly isOfSettings: boolean
  /** Why it can't be called; null: it can. */
  readonly refusal: ModelError | null
}

export interface RegisteredModel extends Omit<LanguageModel, "generate"> {
  readonly name: string
  readonly definition: ModelDefinition
  readonly contextTokens: number
  readonly price: ModelPrice | undefined
  readonly isOfSettings: boolean
  /** Milliseconds for which it is passed over; 0: it is called. */
  readonly timeLeft: (now: number) => number
  /** With a fallback it is retried at most twice. Its caller says by `answered` or `failed` how it ended. */
  readonly call: (request: ModelRequest, hasFallback: boolean) => Effect.Effect<ModelResponse, ModelError>
  readonly answered: (now: number) => void
  readonly failed: (error: ModelError, now: number) => void
  /** Without retries and fallbacks, for a test: once it answers one, it is passed over no longer. */
  readonly callOnce: LanguageModel["generate"]
  /**
   * Probes the model, unless its last call was answered, or its last call or probe was within a minute. A report waits one second
   * for the probe; a slower one continues, and the next report has its result.
   */
  readonly refreshed: Effect.Effect<void>
  /** What its last call, or its last probe, in this process showed. */
  readonly state: (now: number) => { readonly status: ModelStatus; readonly detail: string }
}

/** Maximum number of retries of a model with a fallback. */
const fewRetries = 2

const probeAge = Duration.toMillis("1 minute")

const probeWait = "1 second"

const firstPause = Duration.toMillis("1 minute")
const maxPause = Duration.toMillis("10 minutes")

/** Until when a model that failed is passed over, in this process: a minute, which doubles to ten while it goes on failing. */
class Circuit {
  #until = 0
  #pause = 0

  /** Milliseconds for which the model is still passed over; 0: it is called. */
  timeLeft(now: number): number {
    return Math.max(0, this.#until - now)
  }

  /** Calls that began before the model was passed over do not make its pause longer. */
  failed(now: number): void {
    if (this.timeLeft(now) > 0) return
    this.#pause = Math.min(maxPause, Math.max(firstPause, this.#pause * 2))
    this.#until = now + this.#pause
  }

  answered(): void {
    this.#until = 0
    this.#pause = 0
  }
}

type Call = LanguageModel["generate"]

interface Shown {
  readonly at: number
  readonly error: ModelError | null
  readonly isProbe: boolean
}

/** The model with its retries and spans. Its adapter is made when it is first used, and lives as long as the scope. */
export const register = (
  definition: ModelDefinition,
  policy: RetryPolicy,
  spans: Pick<SpanOptions, "recordsContent">
): Effect.Effect<RegisteredModel, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function*() {
    const { contextTokens, isOfSettings, name, price, refusal, settings } = definition
    const { provider } = settings
    const context = yield* Effect.context<HttpClient.HttpClient | Scope.Scope>()
    // An interruption while it loads would be kept as its result.
    const adapter = yield* Effect.cached(
      Effect.uninterruptible(Effect.map(Layer.build(modelLayer(settings)), Context.get(Model))).pipe(
        Effect.provide(context)
      )
    )
    const circuit = new Circuit()
    const few = { ...policy, maxRetries: Math.min(policy.maxRetries, fewRetries) }
    const callOf = (model: LanguageModel, retries: RetryPolicy) =>
      withSpans({ ...model, generate: withRetries({ ...model, name, price }, retries) }, { ...spans, price }).generate
    let made: { readonly alone: Call; readonly backed: Call } | null = null
    const making = Effect.map(
      adapter,
      (model) => made = { alone: callOf(model, policy), backed: callOf(model, few) }
    )
    let shown: Shown | null = null
    const note = (at: number, error: ModelError | null, isProbe = false) => void (shown = { at, error, isProbe })
    const noted = <A>(isProbe: boolean, call: Effect.Effect<A, ModelError>): Effect.Effect<A, ModelError> =>
      Effect.clockWith((clock) => {
        const noting = (error: ModelError | null) =>
          Effect.sync(() => note(clock.unsafeCurrentTimeMillis(), error, isProbe))
        return Effect.tapBoth(call, { onSuccess: () => noting(null), onFailure: noting })
      })
    const probe = refusal === null
      ? Effect.flatMap(adapter, (model) => noted(true, model.probe))
      : noted(true, Effect.fail(refusal))
    let probing: Fiber.RuntimeFiber<void> | null = null
    const probed = Effect.suspend(() =>
      probing !== null && probing.unsafePoll() === null
        ? Effect.succeed(probing)
        : Effect.map(Effect.forkDaemon(Effect.ignore(probe)), (fiber) => probing = fiber)
    )
    return {
      name,
      definition,
      contextTokens,
      price,
      isOfSettings,
      timeLeft: (now) => circuit.timeLeft(now),
      provider: provider._tag,
      model: provider._tag === "offline" ? offlineModel.model : provider.model,
      sees: (mediaType) => provider._tag !== "offline" && seesImages(settings.vision, provider, mediaType),
      call: (request, hasFallback) => {
        if (refusal !== null) return Effect.fail(refusal)
        const by = ({ alone, backed }: NonNullable<typeof made>) => (hasFallback ? backed : alone)(request)
        return made === null ? Effect.flatMap(making, by) : by(made)
      },
      answered: (now) => {
        note(now, null)
        circuit.answered()
      },
      failed: (error, now) => {
        note(now, error)
        if (error._tag === "ModelUnavailable") circuit.failed(now)
      },
      callOnce: (request) =>
        refusal === null
          ? Effect.tap(
            Effect.flatMap(adapter, (model) => noted(false, model.generate(request))),
            () => circuit.answered()
          )
          : noted(false, Effect.fail(refusal)),
      probe,
      refreshed: Effect.flatMap(Clock.currentTimeMillis, (now) =>
        shown !== null && (now - shown.at < probeAge || !shown.isProbe && shown.error === null)
          ? Effect.void
          : Effect.flatMap(probed, (fiber) =>
            Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), probeWait)))),
      state: (now) =>
        stateOf(shown, now, circuit.timeLeft(now))
    }
  })

const stateOf = (shown: Shown | null, now: number, passedOver: number) => {
  if (shown === null) return { status: "untested" as const, detail: "Not called by this process yet." }
  const ago = `${agoOf(now - shown.at)} ago`
  const pause = passedOver === 0 ? "" : ` It is passed over for ${agoOf(passedOver)} more.`
  return shown.error === null
    ? { status: "answers" as const, detail: `It answered ${ago}.${pause}` }
    : { status: statusOf(shown.error), detail: `${shown.error.message} (${ago})${pause}` }
}

const agoOf = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1_000))
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7_200
    ? `${Math.round(seconds / 60)} min`
    : `${Math.round(seconds / 3_600)} h`
}

/** A conversation that is too long says that the model answers. */
const statusOf = (error: ModelError): ModelStatus => {
  if (error._tag === "ContextOverflow") return "answers"
  if (error._tag === "ModelUnavailable") return "unavailable"
  return error.wrong === "key" ? "wrong_key" : error.wrong === "model" ? "unknown_model" : "refused"
}
