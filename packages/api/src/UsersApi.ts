import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { User, UserChanges, UserPosition } from "@troupe/domain/User"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, optional, person, titled, userId } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

/** Has the name and the id, so that renaming a user between two pages neither skips nor repeats anyone. */
export const UserCursor = Schema.compose(Schema.StringFromBase64Url, Schema.parseJson(UserPosition))

export const UserChangeRequest = Schema.Struct({
  ...UserChanges.fields,
  join: optional(Schema.Boolean.annotations({
    description:
      "true: another user who has the address becomes this one, with everything of theirs. Hosted: owner and admin"
  }))
}).annotations({ identifier: "UserChanges" })

/** Users: who they are, and how to reach them. */
export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("list", "/users")
      .setUrlParams(checkedWhole(Schema.Struct({
        user_id: Schema.optional(person("Only this user")),
        ...page(UserCursor)
      })))
      .addSuccess(Schema.Array(User))
      .addError(Problems.personUnknown)
      .annotateContext(described("All users, by name, then by id"))
  )
  .add(
    HttpApiEndpoint.get("me", "/users/me")
      .addSuccess(User)
      .addError(Problems.userNotFound)
      .annotateContext(described("The user of the token; the default user on a self-hosted service"))
  )
  .add(
    HttpApiEndpoint.put("change")`/users/${userId}`
      .setPayload(checkedWhole(UserChangeRequest))
      .addSuccess(User)
      .addError(Problems.userNotFound)
      .addError(Problems.addressTaken)
      .annotateContext(
        described(
          "Sets fields; a field that was given is not overwritten by a sync, and null clears it. An address that another "
            + "user has is refused, unless join is true"
        )
      )
  )
  .add(
    HttpApiEndpoint.del("clearOverrides")`/users/${userId}/overrides`
      .addSuccess(User)
      .addError(Problems.userNotFound)
      .annotateContext(described("Removes all overrides, so that the next sync may write all fields"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Users", "Users: who they are, and how to reach them."))
{}

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
