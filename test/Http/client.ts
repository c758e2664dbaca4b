import type { HttpClient } from "@effect/platform"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { Effect } from "effect"
import { makeStage, type Stage } from "./Stage.ts"

export const stage = makeStage()

/** Over one server, whose stage is cleared for each test. */
export const withClient = <A, E>(
  f: (
    client: Effect.Effect.Success<ReturnType<typeof TroupeClient.make>>,
    stage: Stage
  ) => Effect.Effect<A, E, HttpClient.HttpClient>
) =>
() =>
  Effect.suspend(() => {
    Object.assign(stage, makeStage())
    return Effect.flatMap(TroupeClient.make(), (client) => f(client, stage))
  })

export const chat = { headers: {}, payload: { message: "Say hello" } }
