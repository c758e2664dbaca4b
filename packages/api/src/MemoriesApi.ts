import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { MemoryId, MemoryRecord } from "@troupe/domain/Memory"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { page } from "./Listing.ts"
import * as MemoryProblems from "./MemoryProblems.ts"
import * as PeopleProblems from "./PeopleProblems.ts"
import * as TaskProblems from "./TaskProblems.ts"

const described = (description: string) => OpenApi.annotations({ description })

/** Any string: an id of another form gets 404 like an unknown id, not 400. */
const userId = HttpApiSchema.param("user_id", Schema.String.annotations({ description: "User id" }))
const memoryId = HttpApiSchema.param("memory_id", Schema.String.annotations({ description: "Memory id" }))

/** What agents remember of a user, for that user to see and to remove. */
export class MemoriesApi extends HttpApiGroup.make("memories")
  .add(
    HttpApiEndpoint.get("list")`/users/${userId}/memories`
      .setUrlParams(Schema.Struct({
        q: Schema.optional(Schema.String.annotations({ description: "Text in the memory or in a tag of it" })),
        ...page(MemoryId)
      }))
      .addSuccess(Schema.Array(MemoryRecord))
      .addError(PeopleProblems.userNotFound)
      .addError(TaskProblems.searchUnfinished)
      .annotateContext(described("What the user's agents remember, newest first"))
  )
  .add(
    HttpApiEndpoint.get("export")`/users/${userId}/memories/export`
      .addSuccess(HttpApiSchema.Text({ contentType: "application/x-ndjson" }))
      .addError(PeopleProblems.userNotFound)
      .addError(TaskProblems.searchUnfinished)
      .annotateContext(described("All memories of the user, one JSON object a line, newest first"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/users/${userId}/memories/${memoryId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(MemoryProblems.memoryNotFound)
      .annotateContext(described("Deletes a memory; agents no longer find it"))
  )
  .add(
    HttpApiEndpoint.del("removeAll")`/users/${userId}/memories`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(PeopleProblems.userNotFound)
      .annotateContext(described("Deletes all memories of the user; a second call changes nothing"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(OpenApi.annotations({ title: "Memories" }))
{}
