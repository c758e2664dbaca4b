import type { HttpClient } from "@effect/platform"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { Effect } from "effect"
import { type Fakes, makeFakes } from "./Fakes.ts"

export const fakes = makeFakes()

/** Over one server, whose fakes is cleared for each test. */
export const withClient = <A, E>(
  f: (
    client: Effect.Effect.Success<ReturnType<typeof TroupeClient.make>>,
    fakes: Fakes
  ) => Effect.Effect<A, E, HttpClient.HttpClient>
) =>
() =>
  Effect.suspend(() => {
    Object.assign(fakes, makeFakes())
    return Effect.flatMap(TroupeClient.make(), (client) => f(client, fakes))
  })

export const chat = { headers: {}, payload: { message: "Say hello" } }
