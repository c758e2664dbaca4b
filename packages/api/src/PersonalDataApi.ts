import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import * as PeopleProblems from "./PeopleProblems.ts"

/** Any string: an id of another form gets 404 like an unknown id, not 400. */
const userId = HttpApiSchema.param("user_id", Schema.String.annotations({ description: "User id" }))

/** All that the service stores of a person. */
export class PersonalDataApi extends HttpApiGroup.make("personalData")
  .add(
    HttpApiEndpoint.del("erase")`/users/${userId}/data`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(PeopleProblems.userNotFound)
      .annotateContext(OpenApi.annotations({
        description: "Cancels the user's tasks, then deletes tasks, notifications, memories, files and profile. "
          + "A seat in the team stays, with its e-mail address alone. A second call changes nothing; for an id that no user ever had, it is 404"
      }))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(OpenApi.annotations({ title: "Personal data" }))
{}
