import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { ownIdOf } from "../People/Access.ts"
import { PersonalData } from "./PersonalData.ts"

export const PersonalDataHttp = HttpApiBuilder.group(
  TroupeApi,
  "personalData",
  (handlers) =>
    Effect.map(
      PersonalData,
      (data) => handlers.handle("erase", ({ path }) => Effect.flatMap(ownIdOf(path.user_id), data.erase))
    )
)
