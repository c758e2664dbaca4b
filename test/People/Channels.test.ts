import { assert, describe, it } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import { UserId } from "@troupe/domain/Ids"
import type { Role } from "@troupe/domain/User"
import { Effect, Option } from "effect"
import { Channels } from "../../src/People/Channel/Channels.ts"
import { ChannelSync } from "../../src/People/Channel/ChannelSync.ts"
import { Memberships } from "../../src/People/Channel/Memberships.ts"
import { ChatUsers } from "../../src/People/User/ChatUsers.ts"
import { requireCaller } from "../../src/Runtime/Database/Isolation.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { seatOf } from "../support/Seats.ts"
import { chatWorld, Platform, query } from "./chat.ts"

const page = { limit: 100, cursor: Option.none() }

/** A public channel and one of Ada's, synced by a request of an admin. */
const given = Effect.gen(function*() {
  yield* ensureRequestRole()
  const { state } = yield* Platform
  state.user("ADA", { real_name: "Ada" })
  state.user("BOB", { real_name: "Bob" })
  state.channel("GENERAL", { members: ["UTROUPE", "UADA", "UBOB"] })
  state.channel("SECRET", { is_private: true, members: ["UTROUPE", "UADA"] })
  const sync = yield* ChannelSync
  yield* as(UserId.make("root"), "admin")(sync.syncAll)
  const users = yield* ChatUsers
  const idOf = (chatUserId: string) => Effect.map(users.find(chatUserId), Option.getOrThrow)
  return { ada: yield* idOf("UADA"), bob: yield* idOf("UBOB") }
})

/** As a request of that user in hosted mode. */
const as = (id: UserId, role: Role = "member") => <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.zipRight(query(...seatOf({ id, role })), Effect.provideService(requireCaller(work), CurrentUser, { id, role }))

describe("In hosted mode", () => {
  it.scopedLive("a member sees the public channels with their members, and the own private ones", () =>
    Effect.gen(function*() {
      const { ada, bob } = yield* given
      const channels = yield* Channels
      const memberships = yield* Memberships
      const seenBy = (id: UserId, role?: Role) =>
        Effect.map(as(id, role)(channels.list(page)), (all) => all.map(({ name }) => name).sort())
      assert.deepStrictEqual(yield* seenBy(bob), ["general"])
      assert.deepStrictEqual(yield* seenBy(ada), ["general", "secret"])
      assert.deepStrictEqual(yield* seenBy(bob, "admin"), ["general", "secret"])
      const named = yield* as(bob)(memberships.list("CGENERAL", page))
      assert.deepStrictEqual(named.map(({ name }) => name), ["Ada", "Bob"])
      for (
        const hidden of [Effect.asVoid(channels.find("CSECRET")), Effect.asVoid(memberships.list("CSECRET", page))]
      ) {
        assert.strictEqual((yield* Effect.flip(as(bob)(hidden)))._tag, "ChannelNotFound")
      }
    }).pipe(Effect.provide(chatWorld({ trustsProfiles: false }))))

  it.scopedLive("only an admin changes what a member does in a channel, even without the check before", () =>
    Effect.gen(function*() {
      const { ada, bob } = yield* given
      const { change } = yield* Memberships
      const changed = change("CGENERAL", ada, { role: "Lead" })
      assert.strictEqual((yield* Effect.flip(as(bob)(changed)))._tag, "MembershipNotFound")
      assert.strictEqual((yield* Effect.flip(as(ada)(changed)))._tag, "MembershipNotFound")
      assert.deepInclude(yield* as(bob, "admin")(changed), { user_id: ada, chat_user_id: "UADA", role: "Lead" })
      assert.deepInclude(yield* as(bob, "admin")(change("CGENERAL", "UADA", { role: null })), { role: null })
    }).pipe(Effect.provide(chatWorld({ trustsProfiles: false }))))
})

describe("Events of a channel", () => {
  it.scopedLive("add and remove members, and deactivate it", () =>
    Effect.gen(function*() {
      const { bob } = yield* given
      const channels = yield* Channels
      const { add, list, remove } = yield* Memberships
      yield* Effect.all([add("CSECRET", bob), add("CSECRET", bob), add("CNONE", bob), remove("CGENERAL", bob)])
      assert.deepStrictEqual((yield* list("CSECRET", page)).map(({ name }) => name), ["Ada", "Bob"])
      assert.deepStrictEqual((yield* list("CGENERAL", page)).map(({ name }) => name), ["Ada"])
      yield* channels.leave("CSECRET")
      assert.deepInclude(yield* channels.find("CSECRET"), { is_member: false, is_active: true, project_id: "CSECRET" })
      yield* channels.deactivate("CSECRET")
      assert.deepInclude(yield* channels.find("CSECRET"), { is_active: false })
    }).pipe(Effect.provide(chatWorld())))
})
