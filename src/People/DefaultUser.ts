import { defaultUser } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import { untilAvailable } from "../Runtime/Sql.ts"
import { Users } from "./Users.ts"

export const layer: Layer.Layer<never, never, Users> = Layer.effectDiscard(
  Effect.flatMap(Users, ({ ensureExists }) => ensureExists(defaultUser)).pipe(untilAvailable(), Effect.orDie)
)
