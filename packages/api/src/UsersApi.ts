import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { User, UserChanges, UserPosition } from "@troupe/domain/User"
import { Schema } from "effect"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const described = (description: string) => OpenApi.annotations({ description })

/** Any string: an id of another form is as unknown as one that never was, and answers 404, not 400. */
const userId = HttpApiSchema.param("user_id", Schema.String.annotations({ description: "User id" }))

/** Holds the name besides the id, so that renaming a user between two pages neither skips nor repeats anyone. */
export const UserCursor = Schema.compose(Schema.StringFromBase64Url, Schema.parseJson(UserPosition))

/** Users: who they are, and how to reach them. */
export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("list", "/users")
      .setUrlParams(Schema.Struct(page(UserCursor)))
      .addSuccess(Schema.Array(User))
      .annotateContext(described("Everybody whom the service has met, by name, then by id"))
  )
  .add(
    HttpApiEndpoint.put("change")`/users/${userId}`
      .setPayload(UserChanges)
      .addSuccess(User)
      .addError(Problems.userNotFound)
      .annotateContext(
        described("Sets fields by hand; each one given is then safe from every sync, and null clears it")
      )
  )
  .add(
    HttpApiEndpoint.del("clearOverrides")`/users/${userId}/overrides`
      .addSuccess(User)
      .addError(Problems.userNotFound)
      .annotateContext(described("Lets the next sync write all fields again; answers with the user"))
  )
  .annotateContext(OpenApi.annotations({ title: "Users" }))
{}
