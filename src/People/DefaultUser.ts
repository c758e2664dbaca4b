import { defaultUser } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import { Users } from "./Users.ts"

export const layer: Layer.Layer<never, never, Users> = Layer.effectDiscard(
  Effect.flatMap(Users, ({ ensureExists }) => ensureExists(defaultUser))
)
