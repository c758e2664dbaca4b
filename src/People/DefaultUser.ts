import { defaultUser } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import { Users } from "./Users.ts"

/** The user of a self-hosted instance is there from its first start. */
export const layer: Layer.Layer<never, never, Users> = Layer.effectDiscard(
  Effect.flatMap(Users, ({ meet }) => meet(defaultUser))
)
