import { HttpBody, HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Accepted } from "@troupe/api/TaskRequests"
import { Task } from "@troupe/domain/Task"
import { Effect, Schedule, Schema, Stream } from "effect"
import { createParser, type EventSourceMessage } from "eventsource-parser"
import { TimedOut } from "./Processes.ts"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
}

/** One server-sent event. */
export interface Frame {
  readonly id: string | null
  readonly event: string
  readonly data: unknown
}

export interface NewTask {
  readonly message: string
  readonly user_id?: string
}

/** A client of the API at some address, which retries while the service restarts. */
export interface TaskClient {
  readonly send: (
    method: "DELETE" | "GET" | "POST" | "PUT",
    path: string,
    body?: unknown
  ) => Effect.Effect<Answer, HttpClientError.HttpClientError>
  /** Submits the task, again with the same key until the response is 2xx; returns its id. */
  readonly submit: (key: string, task: NewTask) => Effect.Effect<string, TimedOut>
  /** Retried until there is a response. */
  readonly find: (id: string) => Effect.Effect<Task, TimedOut>
  /** Events as they come; fails where the connection breaks. */
  readonly events: (id: string, lastEventId?: string) => Stream.Stream<Frame, HttpClientError.HttpClientError>
}

export const taskClient = (port: number): TaskClient => {
  const address = `http://127.0.0.1:${port}`

  const send: TaskClient["send"] = (method, path, body) => sendWith({}, method, path, body)

  const sendWith = (
    headers: Readonly<Record<string, string>>,
    ...[method, path, body]: Parameters<TaskClient["send"]>
  ) =>
    HttpClientRequest.make(method)(`${address}${path}`, {
      headers,
      ...(body === undefined ? {} : { body: HttpBody.unsafeJson(body) })
    }).pipe(
      HttpClient.execute,
      Effect.flatMap((response) =>
        Effect.map(response.text, (text): Answer => ({
          status: response.status,
          headers: response.headers,
          body: text === "" ? null : JSON.parse(text)
        }))
      ),
      Effect.scoped,
      Effect.provide(NodeHttpClient.layerUndici)
    )

  const retried = <A>(what: string, attempt: Effect.Effect<A, unknown>) =>
    attempt.pipe(
      Effect.mapError((cause) => new TimedOut({ message: `${what} got no response: ${String(cause)}` })),
      Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo("40 seconds")))
    )

  const succeeded = (answer: Answer) => answer.status >= 200 && answer.status < 300

  return {
    send,
    submit: (key, task) =>
      retried(
        `POST /chat of ${key}`,
        sendWith({ "idempotency-key": key }, "POST", "/chat", task).pipe(
          Effect.filterOrFail(succeeded),
          Effect.flatMap(({ body }) => Schema.decodeUnknown(Accepted)(body)),
          Effect.map(({ task_id }) => task_id)
        )
      ),
    find: (id) =>
      retried(
        `GET /task/${id}`,
        send("GET", `/task/${id}`).pipe(
          Effect.filterOrFail(succeeded),
          Effect.flatMap(({ body }) => Schema.decodeUnknown(Task)(body))
        )
      ),
    events: (id, lastEventId) =>
      HttpClientRequest.get(`${address}/task/${id}/events`, {
        headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId }
      }).pipe(
        HttpClient.execute,
        Effect.map((response) => response.stream),
        Stream.unwrap,
        Stream.decodeText(),
        framesOf,
        Stream.provideLayer(NodeHttpClient.layerUndici)
      )
  }
}

/** Comments and the reconnection time are no frames. */
const framesOf = <E, R>(text: Stream.Stream<string, E, R>): Stream.Stream<Frame, E, R> =>
  Stream.suspend(() => {
    const frames: Array<EventSourceMessage> = []
    const parser = createParser({ onEvent: (frame) => frames.push(frame) })
    return Stream.mapConcat(text, (piece) => {
      parser.feed(piece)
      return frames.splice(0).map(({ data, event = "", id = null }) => ({ id, event, data: JSON.parse(data) }))
    })
  })
