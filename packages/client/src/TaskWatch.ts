import { EventSourceParserStream } from "eventsource-parser/stream"
import { type HttpCalls, makeIdleTimeout, maxAttempts, pauseBefore } from "./HttpCalls.ts"
import { isTransient } from "./TroupeError.ts"
import type { AnyTaskEvent, Task, TaskEvent } from "./Types.ts"

export interface WatchOptions {
  /** Resume after the event of this id. */
  readonly after?: string
  readonly signal?: AbortSignal
  /** Called when a connection begins, the first and each later one. */
  readonly onOpen?: () => void
  /** Called when a connection broke, before the next one: pieces of text may be lost. */
  readonly onLost?: () => void
}

/** The service sends something every 15 s; after three times that, the connection is dead. */
const idleMillis = 45_000

const maxEventLength = 16 * 1024 * 1024

const isOver = (status: Task["status"]): boolean => status === "completed" || status === "failed"

const eventOf = (event: string | undefined, id: string | undefined, data: string): TaskEvent | null => {
  const value = JSON.parse(data)
  switch (event) {
    case "log":
      return { _tag: "log", id: id ?? "", entry: value }
    case "status":
      return { _tag: "status", id: id ?? "", ...value }
    case "usage":
      return { _tag: "usage", id: id ?? "", usage: value }
    case "text":
      return { _tag: "text", delta: value.delta }
    default:
      return null
  }
}

const anyEventOf = (event: string | undefined, id: string = "", data: string): AnyTaskEvent | null => {
  if (event === "position") return { _tag: "position", id }
  const { task_id, ...value } = JSON.parse(data)
  switch (event) {
    case "log":
      return { _tag: "log", id, task_id, entry: value }
    case "status":
      return { _tag: "status", id, task_id, ...value }
    case "archived":
    case "restored":
    case "deleted":
      return { _tag: event, id, task_id }
    default:
      return null
  }
}

type Decode<Event> = (event: string | undefined, id: string | undefined, data: string) => Event | null

/** Opens a stream of events after one of them. */
type OpenStream = (
  headers: { readonly "last-event-id"?: string },
  fetch: (request: Request) => Promise<Response>
) => Promise<{ readonly data?: ReadableStream<Uint8Array<ArrayBuffer>> | null }>

async function* connection<Event>(
  { open }: HttpCalls,
  openStream: OpenStream,
  decode: Decode<Event>,
  { after, onOpen, signal }: WatchOptions & { readonly onOpen: () => void }
): AsyncGenerator<Event, void> {
  const idleTimeout = makeIdleTimeout(idleMillis, signal)
  try {
    const headers = after === undefined ? {} : { "last-event-id": after }
    const { data } = await openStream(headers, (request) => open(request, idleTimeout))
    onOpen()
    if (data === undefined || data === null) return
    const frames = data.pipeThrough(new TextDecoderStream()).pipeThrough(
      new EventSourceParserStream({ maxBufferSize: maxEventLength })
    )
    const reader = frames.getReader()
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw idleTimeout.failure(cause)
      })
      if (done) return
      const event = decode(value.event, value.id, value.data)
      if (event !== null) yield event
    }
  } finally {
    idleTimeout.abort()
  }
}

/** The events of a stream across lost connections. `isEnd` is asked with the last event when a connection has ended. */
async function* resumed<Event extends AnyTaskEvent | TaskEvent>(
  calls: HttpCalls,
  openStream: OpenStream,
  decode: Decode<Event>,
  isEnd: (event: Event | null) => Promise<boolean>,
  options: WatchOptions
): AsyncGenerator<Event, void> {
  let { after } = options
  let last: Event | null = null
  let hasOpened = false
  const onOpen = () => {
    hasOpened = true
    options.onOpen?.()
  }
  for (let attempt = 0;; attempt++) {
    let reason: unknown = null
    try {
      const resuming = { ...options, ...(after === undefined ? {} : { after }), onOpen }
      for await (const event of connection(calls, openStream, decode, resuming)) {
        if ("id" in event) after = event.id
        attempt = 0
        last = event
        yield event
      }
      if (await isEnd(last)) return
    } catch (error) {
      // The connection was lost after the last event, and the service or the task has gone since.
      if (attempt > 0 && last?._tag === "status" && await isEnd(last)) return
      // A browser does not say whether CORS refused a connection, so the attempts are limited.
      const hasFailed = !hasOpened && attempt + 1 >= maxAttempts
      if (hasFailed || options.signal?.aborted === true || !isTransient(error)) throw error
      reason = error
    }
    options.onLost?.()
    await pauseBefore(attempt, reason, options.signal)
  }
}

/** The events of all tasks, each once; only `signal` or a refusal ends it. */
export const watchAllTasks = (calls: HttpCalls, options: WatchOptions): AsyncGenerator<AnyTaskEvent, void> =>
  resumed(
    calls,
    (header, fetch) => calls.http.GET("/events", { params: { header }, parseAs: "stream", fetch }),
    anyEventOf,
    async () => false,
    options
  )

/** The events of a task until it has ended, each once and in order; pieces of text may be lost. */
export const watchTask = (
  calls: HttpCalls,
  find: (id: string) => Promise<Task>,
  id: string,
  options: WatchOptions
): AsyncGenerator<TaskEvent, void> =>
  resumed(
    calls,
    (header, fetch) =>
      calls.http.GET("/task/{task_id}/events", {
        params: { path: { task_id: id }, header },
        parseAs: "stream",
        fetch
      }),
    eventOf,
    async (last) => last?._tag === "status" ? isOver(last.status) : isOver((await find(id)).status),
    options
  )
