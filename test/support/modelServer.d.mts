/** One answer of the model, or of the network in its place. */
export interface ModelTurn {
  readonly text?: string
  readonly refusal?: string
  readonly calls?: ReadonlyArray<{
    readonly name: string
    /** An object is sent as its JSON, a string as it is. */
    readonly arguments?: unknown
    /** Left out: a fresh one. */
    readonly id?: string
    /** Google's thought signature (chat-completions). */
    readonly signature?: string
  }>
  /** Thinking that the server separates from the text of a stream (chat-completions). */
  readonly thinking?: string
  /** Encrypted reasoning in front of everything (Responses API). */
  readonly reasoning?: string
  readonly finish?: "content_filter" | "length" | "stop" | "tool_calls" | (string & {})
  /** null: the server counts nothing. */
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number } | null
  /** Milliseconds before the answer. */
  readonly delay?: number
  /** Adds unknown fields, items and events. */
  readonly noise?: boolean
  /** Characters a streamed delta holds; left out: all. */
  readonly chunk?: number
  /** Bytes a network packet of a stream holds; left out: all. */
  readonly packet?: number
  /** Milliseconds between the packets of a stream. */
  readonly pace?: number
  /** Answers in one piece although a stream was asked for. */
  readonly unstreamed?: boolean
  /** A raw answer instead of a model's. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Hangs up in the middle of the answer. */
  readonly cut?: boolean
  /** Hangs up without an answer. */
  readonly reset?: boolean
  /** Never answers. */
  readonly hang?: boolean
}

export interface ModelRequestSeen {
  readonly method: string
  readonly path: string
  readonly kind: "chat" | "embeddings" | "messages" | "models" | "other" | "responses"
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

export interface ModelServerOptions {
  readonly port?: number
  readonly latency?: number
  readonly rounds?: number
  readonly tool?: string
  /** Arguments of each call; by default a query and a limit. */
  readonly arguments?: unknown
  /** Refuses with 400 what the strictest providers refuse: unknown parameters, roles out of order, invalid schemas. */
  readonly strict?: boolean
  /** Keeps every request for assertions. */
  readonly record?: boolean
  /** The turn for a request; undefined: what the conversation itself asks for. */
  readonly script?: (request: ModelRequestSeen) => ModelTurn | undefined
  /** Told of each recorded request, and of each that its caller gave up. */
  readonly onRequest?: (request: ModelRequestSeen) => void
  readonly onHangUp?: (request: ModelRequestSeen) => void
}

export interface RunningModelServer {
  readonly port: number
  /** Base URL, up to `/v1`. */
  readonly url: string
  readonly requests: ReadonlyArray<ModelRequestSeen>
  readonly close: () => Promise<void>
}

export declare const startModelServer: (options?: ModelServerOptions) => Promise<RunningModelServer>
