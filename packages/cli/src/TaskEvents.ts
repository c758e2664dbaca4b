import * as Api from "@troupe/api/TaskEvent"
import type { Troupe, WatchOptions } from "@troupe/client"
import { Effect, Option, Schema, Stream } from "effect"
import { callFailed, type CommandFailed } from "./CommandFailed.ts"
import { Service } from "./Service.ts"

/** The connection is being made anew; nothing but parts of texts is lost. */
interface Reconnecting {
  readonly _tag: "reconnecting"
}

/** What happens to a task while one watches. */
export type TaskEvent = Api.TaskEvent | Reconnecting

/** What happens to any task. */
export type AnyTaskEvent = Api.AnyTaskEvent | Reconnecting

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
      const onLost = () => void emit.single({ _tag: "reconnecting" })
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
export const watch = (id: string, after?: string): Stream.Stream<TaskEvent, CommandFailed, Service> =>
  follow(
    Api.TaskEvent,
    (troupe, options) => troupe.watch(id, { ...options, ...(after === undefined ? {} : { after }) })
  )

/** The events of all tasks from now on, without an end. */
export const watchAll: Stream.Stream<AnyTaskEvent, CommandFailed, Service> = follow(
  Api.AnyTaskEvent,
  (troupe, options) => troupe.watchAll(options)
)
