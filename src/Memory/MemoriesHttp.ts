import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { CurrentUser } from "@troupe/api/Authentication"
import { defaultLimit } from "@troupe/api/Listing"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { MemoryId, MemoryNotFound, type MemoryRecord } from "@troupe/domain/Memory"
import { Effect, Option, Schema, Stream } from "effect"
import { ownIdOf } from "../People/User/Access.ts"
import { linkedPage, pageById } from "../Runtime/Database/Page.ts"
import { MemoryRecords } from "./MemoryRecords.ts"

const isMemoryId = Schema.is(MemoryId)

const keyOf = ({ memory_id: id, user_id }: { readonly user_id: string; readonly memory_id: string }) =>
  Effect.mapError(
    Effect.zip(ownIdOf(user_id), isMemoryId(id) ? Effect.succeed(id) : new MemoryNotFound({ user_id, id })),
    (error) => error._tag === "UserNotFound" ? new MemoryNotFound({ user_id, id }) : error
  )

const encoder = new TextEncoder()
const line = (record: MemoryRecord) => encoder.encode(`${JSON.stringify(record)}\n`)

export const MemoriesHttp = HttpApiBuilder.group(
  TroupeApi,
  "memories",
  (handlers) =>
    Effect.map(MemoryRecords, (memories) =>
      handlers
        .handle("list", (request) =>
          Effect.flatMap(ownIdOf(request.path.user_id), (id) => {
            const { cursor, limit = defaultLimit, q } = request.urlParams
            return q === undefined
              ? pageById(request, (piece) => memories.list(id, piece))
              : Effect.map(
                memories.search(id, { q, limit, cursor: Option.fromNullable(cursor) }),
                (page) => linkedPage(page, { url: request.request.url, cursorOf: (memory) => memory.id })
              )
          }))
        .handle("export", ({ path }) =>
          ownIdOf(path.user_id).pipe(
            Effect.flatMap(memories.all),
            Effect.zip(Effect.context<CurrentUser>()),
            Effect.map(([records, caller]) =>
              // The server reads the stream after the handler, and still for its caller.
              HttpServerResponse.stream(Stream.provideSomeContext(Stream.map(records, line), caller), {
                contentType: "application/x-ndjson",
                headers: { "content-disposition": "attachment; filename=\"memories.jsonl\"" }
              })
            )
          ))
        .handle("remove", ({ path }) => Effect.flatMap(keyOf(path), ([user, id]) => memories.remove(user, id)))
        .handle("removeAll", ({ path }) => Effect.flatMap(ownIdOf(path.user_id), memories.removeAll)))
)
