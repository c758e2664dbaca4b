import { Duration, Effect, Option, Queue, Redacted, Schema, type Scope } from "effect"
import type { ModelSettings, RemoteProvider } from "../../src/Model/ModelSettings.ts"
import { type ModelRequestSeen, type ModelServerOptions, type ModelTurn, startModelServer } from "./modelServer.mjs"

export type { ModelRequestSeen, ModelTurn } from "./modelServer.mjs"

/** A model provider on a real socket, scripted by its test. */
export interface ModelServer {
  /** Base URL, up to `/v1`. */
  readonly url: string
  /** Appends turns; when all are used, the number of tool results in the conversation decides. */
  readonly script: (...turns: ReadonlyArray<ModelTurn>) => Effect.Effect<void>
  /** Requests as they come in, to wait for one. */
  readonly arrivals: Queue.Dequeue<ModelRequestSeen>
  /** Requests whose connection the caller closed, as it happens. */
  readonly hangUps: Queue.Dequeue<ModelRequestSeen>
  /** Every request so far. */
  readonly requests: Effect.Effect<ReadonlyArray<ModelRequestSeen>>
  /** The JSON bodies of the requests so far. */
  readonly bodies: Effect.Effect<ReadonlyArray<unknown>>
  /** Settings that lead to this server; four retries and a time-out of two seconds unless set otherwise. */
  readonly settings: (
    provider: RemoteProvider["_tag"],
    overrides?: Partial<Omit<CallSettings, "provider">> & {
      readonly model?: string
      readonly apiKey?: string
      readonly api?: RemoteProvider["api"]
    }
  ) => CallSettings
}

/** A model's settings, with those of its retries and its HTTP client. */
export interface CallSettings extends ModelSettings {
  readonly maxRetries: number
  readonly totalTimeout: Duration.Duration
  readonly requestTimeout: Duration.Duration
}

const parse = Schema.decodeUnknown(Schema.parseJson())

/** Strict unless set otherwise. */
export const makeModelServer = (
  options: Omit<ModelServerOptions, "onHangUp" | "onRequest" | "port" | "record"> = {}
): Effect.Effect<ModelServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const turns: Array<ModelTurn> = []
    const arrivals = yield* Queue.unbounded<ModelRequestSeen>()
    const hangUps = yield* Queue.unbounded<ModelRequestSeen>()
    const server = yield* Effect.acquireRelease(
      Effect.promise(() =>
        startModelServer({
          strict: true,
          ...options,
          record: true,
          onRequest: (request) => void arrivals.unsafeOffer(request),
          onHangUp: (request) => void hangUps.unsafeOffer(request),
          script: (request) => options.script?.(request) ?? (request.method === "POST" ? turns.shift() : undefined)
        })
      ),
      ({ close }) => Effect.promise(close)
    )
    const common = (apiKey: string, model: string) => ({
      baseUrl: server.url,
      apiKey: Option.some(Redacted.make(apiKey)),
      model
    })
    const requests = Effect.sync(() => [...server.requests])
    return {
      url: server.url,
      script: (...more) => Effect.sync(() => void turns.push(...more)),
      arrivals,
      hangUps,
      requests,
      bodies: Effect.flatMap(requests, Effect.forEach(({ body }) => Effect.orDie(parse(body)))),
      settings: (provider, { api, apiKey = "key-for-tests", model = "fake-r3", ...overrides } = {}) => ({
        temperature: 1,
        maxRetries: 4,
        totalTimeout: Duration.minutes(4),
        requestTimeout: Duration.seconds(2),
        ...overrides,
        provider: provider === "anthropic"
          ? { _tag: provider, ...common(apiKey, model), embeddings: Option.none() }
          : {
            _tag: provider,
            ...common(apiKey, model),
            embeddingModel: "fake-embedding",
            ...(api === undefined ? {} : { api })
          }
      })
    }
  })
