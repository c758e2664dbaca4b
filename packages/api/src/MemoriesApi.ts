import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { MemoryId, MemoryRecord } from "@troupe/domain/Memory"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, titled, userId } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const memoryId = pathParameter("memory_id", "Memory id")

/** What agents remember of a user, for that user to see and to remove. */
export class MemoriesApi extends HttpApiGroup.make("memories")
  .add(
    HttpApiEndpoint.get("list")`/users/${userId}/memories`
      .setUrlParams(checkedWhole(Schema.Struct({
        q: Schema.optional(
          Schema.String.annotations({
            description:
              "Text in the memory or in a tag of it. It is sought among 4,000 memories at a time: a page may be short or empty and still have a next one"
          })
        ),
        ...page(MemoryId)
      })))
      .addSuccess(Schema.Array(MemoryRecord))
      .addError(Problems.userNotFound)
      .addError(Problems.searchUnfinished)
      .annotateContext(described("What the user's agents remember, newest first"))
  )
  .add(
    HttpApiEndpoint.get("export")`/users/${userId}/memories/export`
      .addSuccess(HttpApiSchema.Text({ contentType: "application/x-ndjson" }))
      .addError(Problems.userNotFound)
      .addError(Problems.searchUnfinished)
      .annotateContext(described("All memories of the user, one JSON object a line, newest first"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/users/${userId}/memories/${memoryId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.memoryNotFound)
      .annotateContext(described("Deletes a memory; agents no longer find it"))
  )
  .add(
    HttpApiEndpoint.del("removeAll")`/users/${userId}/memories`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.userNotFound)
      .annotateContext(described("Deletes all memories of the user; a second call changes nothing"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Memories", "What agents remember of a user, for that user to see and to remove."))
{}
