import * as Api from "@troupe/api/TaskEvent"
import type { Troupe, WatchOptions } from "@troupe/client"
import type { TaskLogEntry, TaskStatus, Usage } from "@troupe/domain/Task"
import { Data, Effect, Option, Schema, Stream } from "effect"
import { callFailed, type CommandFailed } from "./CommandFailed.ts"
import { Service } from "./Service.ts"

/** What happens to a task while one watches. */
export type TaskEvent = Data.TaggedEnum<{
  log: { readonly entry: TaskLogEntry }
  status: { readonly status: TaskStatus; readonly error: string | null }
  usage: { readonly usage: Usage }
  text: { readonly delta: string }
  /** The connection is being made anew; nothing but parts of texts is lost. */
  reconnecting: {}
}>
export const TaskEvent = Data.taggedEnum<TaskEvent>()

type Reconnecting = Data.TaggedEnum.Value<TaskEvent, "reconnecting">

export interface Message {
  /** The place in the task's stream; texts have none. */
  readonly id: string | undefined
  readonly event: TaskEvent
}

/** Events that wait to be shown. */
const bufferSize = 16

/** Events as the client reads them. Those of a form that this version does not know are left out. */
const follow = <Event, Encoded>(
  schema: Schema.Schema<Event, Encoded>,
  open: (troupe: Troupe, options: WatchOptions) => AsyncIterable<unknown>
): Stream.Stream<Event | Reconnecting, CommandFailed, Service> =>
  Stream.unwrap(Effect.map(Service, ({ troupe, url }) =>
    Stream.async<Event | Reconnecting, CommandFailed>((emit) => {
      const ended = new AbortController()
      const decode = Schema.decodeUnknownOption(schema)
      const onLost = () => void emit.single(TaskEvent.reconnecting())
      const read = async () => {
        for await (const event of open(troupe, { signal: ended.signal, onLost })) {
          const known = decode(event)
          if (Option.isSome(known)) await emit.single(known.value)
        }
        await emit.end()
      }
      read().catch((error: Error) => emit.fail(callFailed(url)(error)))
      return Effect.sync(() => ended.abort())
    }, bufferSize)))

/** The events of a task after the one with the id `after`, without a gap across lost connections, until it has ended. */
export const watch = (id: string, after?: string): Stream.Stream<Message, CommandFailed, Service> =>
  follow(
    Api.TaskEvent,
    (troupe, options) => troupe.watch(id, { ...options, ...(after === undefined ? {} : { after }) })
  )
    .pipe(Stream.map((event) => ({ id: "id" in event ? event.id : undefined, event })))

/** The events of all tasks from now on, without an end. */
export const watchAll: Stream.Stream<Api.AnyTaskEvent | Reconnecting, CommandFailed, Service> = follow(
  Api.AnyTaskEvent,
  (troupe, options) => troupe.watchAll(options)
)
