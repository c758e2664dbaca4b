import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { allowedOn } from "../People/Access.ts"
import { userIdOf } from "../People/Users.ts"
import { PersonalData } from "./PersonalData.ts"

export const PersonalDataHttp = HttpApiBuilder.group(
  TroupeApi,
  "personalData",
  (handlers) =>
    Effect.map(
      PersonalData,
      (data) =>
        handlers.handle("erase", ({ path }) =>
          Effect.zipRight(allowedOn(path.user_id), Effect.flatMap(userIdOf(path.user_id), data.erase)))
    )
)
