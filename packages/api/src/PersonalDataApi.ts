import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Authentication } from "./Authentication.ts"
import { described, titled, userId } from "./Fields.ts"
import * as Problems from "./Problems.ts"

/** All that the service stores of a person. */
export class PersonalDataApi extends HttpApiGroup.make("personalData")
  .add(
    HttpApiEndpoint.del("erase")`/users/${userId}/data`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.userNotFound)
      .annotateContext(described(
        "Cancels the user's tasks, then deletes tasks, notifications, memories, files and profile. "
          + "A seat in the team stays, with its e-mail address alone. A second call changes nothing; for an id that no user ever had, it is 404"
      ))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Personal data", "All that the service stores of a person."))
{}
