import { EventSourceParserStream } from "eventsource-parser/stream"
import { type HttpCalls, maxAttempts, pauseBefore } from "./HttpCalls.ts"
import { makeIdleTimeout } from "./IdleTimeout.ts"
import { isTransient } from "./TroupeError.ts"
import type { AnyTaskEvent, Task, TaskEvent } from "./WireTypes.ts"

export interface WatchOptions {
  /** Resume after the event of this id. */
  readonly after?: string
  readonly signal?: AbortSignal
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
    default:
      return null
  }
}

async function* connection<Event>(
  { open }: HttpCalls,
  path: string,
  decode: (event: string | undefined, id: string | undefined, data: string) => Event | null,
  { after, onOpen, signal }: ConnectionOptions
): AsyncGenerator<Event, void> {
  const idleTimeout = makeIdleTimeout(idleMillis, signal)
  try {
    const headers = after === undefined ? {} : { "last-event-id": after }
    const response = await open({ method: "GET", path, headers }, idleTimeout)
    onOpen()
    if (response.body === null) return
    const frames = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
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

interface ConnectionOptions extends WatchOptions {
  readonly onOpen: () => void
}

/** A browser does not say whether CORS refused a connection, so the attempts are limited. */
const makeAttempts = (options: WatchOptions) => {
  let hasOpened = false
  return {
    resuming: (after: string | undefined): ConnectionOptions => ({
      ...options,
      ...(after === undefined ? {} : { after }),
      onOpen: () => {
        hasOpened = true
      }
    }),
    isOver: (attempt: number, error: unknown): boolean =>
      options.signal?.aborted === true || !isTransient(error) || (!hasOpened && attempt + 1 >= maxAttempts)
  }
}

/** The events of all tasks, each once, across lost connections; only `signal` or a refusal ends it. */
export async function* watchAllTasks(calls: HttpCalls, options: WatchOptions): AsyncGenerator<AnyTaskEvent, void> {
  let { after } = options
  const attempts = makeAttempts(options)
  for (let attempt = 0;; attempt++) {
    let reason: unknown = null
    try {
      for await (const event of connection(calls, "/events", anyEventOf, attempts.resuming(after))) {
        after = event.id
        attempt = 0
        yield event
      }
    } catch (error) {
      if (attempts.isOver(attempt, error)) throw error
      reason = error
    }
    options.onLost?.()
    await pauseBefore(attempt, reason, options.signal)
  }
}

/** The events of a task, each once and in order, across lost connections; pieces of text may be lost. */
export async function* watchTask(
  calls: HttpCalls,
  find: (id: string) => Promise<Task>,
  id: string,
  options: WatchOptions
): AsyncGenerator<TaskEvent, void> {
  let { after } = options
  const attempts = makeAttempts(options)
  const { signal } = options
  const path = `/task/${encodeURIComponent(id)}/events`
  for (let attempt = 0;; attempt++) {
    let reason: unknown = null
    try {
      for await (const event of connection(calls, path, eventOf, attempts.resuming(after))) {
        if ("id" in event) after = event.id
        attempt = 0
        yield event
        if (event._tag === "status" && isOver(event.status)) return
      }
      if (isOver((await find(id)).status)) return
    } catch (error) {
      if (attempts.isOver(attempt, error)) throw error
      reason = error
    }
    options.onLost?.()
    await pauseBefore(attempt, reason, signal)
  }
}
