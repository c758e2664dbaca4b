import { Effect, type Layer, Option } from "effect"
import { ChannelSync } from "../../src/People/Channel/ChannelSync.ts"
import { ChatUsers } from "../../src/People/User/ChatUsers.ts"
import { Users } from "../../src/People/User/Users.ts"
import { chatWorld } from "./chat.ts"

export const inWorld = <A, E>(
  test: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof chatWorld>>>,
  trustsProfiles = true
) => Effect.provide(test, chatWorld({ trustsProfiles }))

export const page = { limit: 10_000, cursor: Option.none() }

export const syncAll = Effect.flatMap(ChannelSync, (sync) => sync.syncAll)

export const userOf = (chatUserId: string) =>
  Effect.gen(function*() {
    const id = yield* (yield* ChatUsers).find(chatUserId)
    const users = yield* (yield* Users).list(page)
    return users.find((user) => user.id === Option.getOrNull(id))
  })
