import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { TaskLogEntry, TaskStatus, Usage } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { Chunk, Data, Duration, Effect, Option, Schema, Stream } from "effect"
import { createParser, type EventSourceMessage } from "eventsource-parser"
import { CommandFailed } from "./CommandFailed.ts"
import { segment, Service } from "./Service.ts"

const StatusChange = Schema.Struct({ status: TaskStatus, error: Schema.NullOr(Schema.String) })
const TextDelta = Schema.Struct({ delta: Schema.String })

/** What happens to a task while one watches. */
export type TaskEvent = Data.TaggedEnum<{
  log: { readonly entry: TaskLogEntry }
  status: typeof StatusChange.Type
  usage: { readonly usage: Usage }
  text: typeof TextDelta.Type
  /** The connection is being made anew; nothing but parts of texts is lost. */
  reconnecting: {}
}>
export const TaskEvent = Data.taggedEnum<TaskEvent>()

/** Events of kinds that this version does not know are left out. */
const decode = ({ data, event }: EventSourceMessage): Option.Option<TaskEvent> => {
  const as = <A, I>(schema: Schema.Schema<A, I>) => Schema.decodeOption(Schema.parseJson(schema))(data)
  switch (event) {
    case "log":
      return Option.map(as(TaskLogEntry), (entry) => TaskEvent.log({ entry }))
    case "status":
      return Option.map(as(StatusChange), TaskEvent.status)
    case "usage":
      return Option.map(as(Usage), (usage) => TaskEvent.usage({ usage }))
    case "text":
      return Option.map(as(TextDelta), TaskEvent.text)
    default:
      return Option.none()
  }
}

export interface Message {
  /** The place in the task's stream; texts have none. */
  readonly id: string | undefined
  readonly event: TaskEvent
}

/** The service sends a comment every 15 s. */
const silence = "60 seconds"

/** The longest event holds one answer of the model. */
const maxEventLength = 16 * 1024 * 1024

class Lost extends Data.TaggedError("Lost") {}

const messagesOf = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Message, Lost> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder()
    let messages: Array<Message> = []
    let isTooLong = false
    const parser = createParser({
      maxBufferSize: maxEventLength,
      onEvent: (message) => {
        messages.push(...Option.toArray(Option.map(decode(message), (event) => ({ id: message.id, event }))))
      },
      onError: ({ type }) => {
        isTooLong ||= type === "max-buffer-size-exceeded"
      }
    })
    const take = (piece: Uint8Array): Effect.Effect<Chunk.Chunk<Message>, Lost> =>
      Effect.suspend(() => {
        parser.feed(decoder.decode(piece, { stream: true }))
        const taken = messages
        messages = []
        return isTooLong ? new Lost() : Effect.succeed(Chunk.fromIterable(taken))
      })
    return bytes.pipe(
      Stream.mapError(() => new Lost()),
      Stream.timeoutFail(() => new Lost(), silence),
      Stream.mapEffect(take),
      Stream.flattenChunks
    )
  })

const connect = ({ call, http }: Service["Type"], id: string, after: string | undefined) =>
  Stream.unwrapScoped(
    Effect.gen(function*() {
      const request = HttpClientRequest.get(`/task/${segment(id)}/events`, {
        headers: { accept: "text/event-stream", ...(after === undefined ? {} : { "last-event-id": after }) }
      })
      const response = yield* Effect.mapError(http.execute(request), () => new Lost())
      if (response.status === 200) return messagesOf(response.stream)
      // An unknown task or an expired token fails here with the reason; otherwise the next attempt may succeed.
      if (response.status < 500) yield* call(({ tasks }) => tasks.find({ path: { task_id: segment(id) } }))
      return yield* new Lost()
    })
  )

const maxFailures = 100

const pauseAfter = (failures: number) => Duration.millis(Math.min(250 * 2 ** Math.min(failures, 10), 5_000))

/** The events of a task after the one with the id `after`, without a gap across lost connections, until it has ended. */
export const watch = (id: string, after?: string): Stream.Stream<Message, CommandFailed, Service> =>
  Stream.unwrap(Effect.map(Service, (service) => {
    let last = after
    let hasEnded = false
    let failures = 0
    const attempt: Effect.Effect<Stream.Stream<Message, CommandFailed>> = Effect.sync(() =>
      connect(service, id, last).pipe(
        Stream.map((message) => {
          last = message.id ?? last
          failures = 0
          if (message.event._tag === "status") hasEnded = isTerminal(message.event.status)
          return message
        }),
        Stream.concat(Stream.suspend(() => hasEnded ? Stream.empty : Stream.fail(new Lost()))),
        Stream.catchTag("Lost", () => again)
      )
    )
    const again: Stream.Stream<Message, CommandFailed> = Stream.suspend(() => {
      if (++failures > maxFailures) {
        return Stream.fail(
          new CommandFailed({
            reason: "unavailable",
            message: `The connection to ${service.url} is lost. The task goes on there: troupe watch ${id}`
          })
        )
      }
      return Stream.concat(
        Stream.make({ id: undefined, event: TaskEvent.reconnecting() }),
        Stream.unwrap(Effect.delay(attempt, pauseAfter(failures)))
      )
    })
    return Stream.unwrap(attempt)
  }))
