import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Fiber, Option } from "effect"
import { existsSync } from "node:fs"
import { Channels } from "../../src/People/Channel/Channels.ts"
import { ChannelSync } from "../../src/People/Channel/ChannelSync.ts"
import { Memberships } from "../../src/People/Channel/Memberships.ts"
import { Senders } from "../../src/People/Team/Senders.ts"
import { Users } from "../../src/People/User/Users.ts"
import { teamId } from "../support/ChatPlatformState.ts"
import { inWorld, page, syncAll, userOf } from "./channelSync.ts"
import { Platform, query } from "./chat.ts"

const memberNames = (channel: string) =>
  Effect.flatMap(Memberships, ({ list }) => Effect.map(list(channel, page), (all) => all.map(({ name }) => name)))

describe("A sync", () => {
  it.scopedLive("pages through a thousand channels and people, and changes nothing the second time", () =>
    inWorld(Effect.gen(function*() {
      const { requests, state } = yield* Platform
      const people = Array.from({ length: 1_000 }, (_, at) => state.user(`P${at}`, { real_name: `Person ${at}` }).id)
      for (let at = 0; at < 1_000; at++) state.channel(`X${at}`, { members: at < 20 ? ["UTROUPE", "UP1"] : ["UP1"] })
      state.channel("ALL", { members: ["UTROUPE", ...people] })
      const empty = { created: 0, updated: 0, deactivated: 0, errors: [] }
      assert.deepStrictEqual(yield* syncAll, { ...empty, synced: 1_001, created: 1_001 })
      assert.strictEqual((yield* (yield* Channels).list(page)).length, 1_001)
      assert.strictEqual((yield* memberNames("CALL")).length, 1_000)
      assert.deepStrictEqual(yield* memberNames("CX19"), ["Person 1"])
      assert.deepStrictEqual(yield* memberNames("CX20"), [], "we are not in it")
      const before = requests.length
      assert.isBelow(before, 40)
      assert.deepStrictEqual(yield* syncAll, { ...empty, synced: 1_001 })
    })))

  it.scopedLive("tells guests and people of other workspaces from people of the team", () =>
    inWorld(Effect.gen(function*() {
      const { state } = yield* Platform
      state.user("ADA", { team_id: teamId })
      state.user("BEA", { team_id: "E0ORG", enterprise_user: { enterprise_id: "E0ORG", teams: [teamId] } })
      state.user("ONE", { is_ultra_restricted: true })
      state.user("MANY", { is_restricted: true, team_id: teamId })
      state.user("EVE", { is_stranger: true })
      state.user("PAT", { team_id: "T0OTHER" })
      yield* syncAll
      const { find } = yield* Effect.provide(Senders, Senders.layer)
      const known = (name: string) => Effect.map(find(`${name}@example.org`), Option.exists(({ isKnown }) => isKnown))
      const isKnown = yield* Effect.forEach(["ada", "bea", "one", "many", "eve", "pat"], known)
      assert.deepStrictEqual(isKnown, [true, true, false, false, false, false])
      const pat = yield* userOf("UPAT")
      yield* (yield* Users).change(pat?.id ?? UserId.make("none"), { email: "pat@example.org" })
      assert.isTrue(yield* known("pat"), "somebody entered the address")
      state.user("ONE", {})
      yield* syncAll
      assert.isTrue(yield* known("one"), "a member by now")
    })))

  it.scopedLive("updates what changed, and never a field that a person set", () =>
    inWorld(Effect.gen(function*() {
      const { state } = yield* Platform
      const ada = state.user("ADA", { real_name: "Ada", profile: { title: "Engineer" } })
      const general = state.channel("GENERAL", { members: ["UTROUPE", "UADA"] })
      yield* syncAll
      const user = yield* userOf("UADA")
      assert.deepInclude(user, { name: "Ada", title: "Engineer", email: "ada@example.org", timezone: "Europe/Berlin" })
      const id = user?.id ?? UserId.make("none")
      yield* (yield* Users).change(id, { name: "Countess", timezone: null })
      yield* (yield* Memberships).change("CGENERAL", "UADA", { role: "Lead", responsibilities: "Engines" })
      Object.assign(ada, { real_name: "Ada L.", tz: "Mars/Olympus" })
      Object.assign(ada.profile, { real_name: "Ada L.", title: "Chief" })
      Object.assign(general, { topic: "Engines" })
      assert.deepInclude(yield* syncAll, { created: 0, updated: 1, errors: [] })
      assert.deepInclude(yield* userOf("UADA"), { name: "Countess", title: "Chief", timezone: null })
      assert.deepInclude(yield* (yield* Channels).find("CGENERAL"), { topic: "Engines", is_member: true })
      const [membership] = yield* (yield* Memberships).list("CGENERAL", page)
      assert.deepInclude(membership, { user_id: id, chat_user_id: "UADA", role: "Lead", responsibilities: "Engines" })
      yield* (yield* Users).clearOverrides(id)
      yield* syncAll
      assert.deepInclude(yield* userOf("UADA"), { name: "Ada L." })
    })))

  it.scopedLive("takes nobody for a member by an account of another platform", () =>
    inWorld(Effect.gen(function*() {
      const { state } = yield* Platform
      state.user("ADA", { real_name: "Ada" })
      state.channel("GENERAL", { members: ["UTROUPE", "UADA"] })
      yield* query("insert into users (id, name) values ('other', 'Other')")
      yield* query("insert into chat_accounts (platform, account, user_id) values ('plain', 'UADA', 'other')")
      yield* syncAll
      assert.deepStrictEqual(yield* memberNames("CGENERAL"), ["Ada"])
    })))

  it.scopedLive("makes a channel that we are in a project, which it stays", () =>
    inWorld(Effect.gen(function*() {
      const { state } = yield* Platform
      const general = state.channel("GENERAL")
      state.channel("OTHER", { members: [] })
      yield* syncAll
      const channels = yield* Channels
      const { project_id, project_path } = yield* channels.find("CGENERAL")
      assert.strictEqual(project_id, "CGENERAL")
      assert.isTrue(existsSync(project_path ?? ""))
      assert.deepInclude(yield* channels.find("COTHER"), { project_id: null, project_path: null })
      general.members.delete("UTROUPE")
      yield* syncAll
      assert.deepInclude(yield* channels.find("CGENERAL"), { is_member: false, project_id: "CGENERAL" })
    })))

  it.scopedLive("deactivates what vanished, and people whose accounts were, who come back as the same users", () =>
    inWorld(Effect.gen(function*() {
      const { state } = yield* Platform
      const ada = state.user("ADA")
      state.channel("GENERAL", { members: ["UTROUPE", "UADA"] })
      const old = state.channel("OLD")
      state.channel("GONE")
      yield* syncAll
      const before = yield* userOf("UADA")
      Object.assign(ada, { deleted: true })
      Object.assign(old, { is_archived: true })
      state.channels.delete("CGONE")
      assert.deepInclude(yield* syncAll, { synced: 2, deactivated: 2, errors: [] })
      const channels = yield* Channels
      assert.deepInclude(yield* channels.find("CGONE"), { is_active: false, is_member: false })
      assert.deepInclude(yield* channels.find("COLD"), { is_active: false })
      assert.isUndefined(yield* userOf("UADA"))
      assert.deepStrictEqual(yield* memberNames("CGENERAL"), [])
      Object.assign(ada, { deleted: false })
      assert.deepInclude(yield* syncAll, { deactivated: 0 })
      assert.strictEqual((yield* userOf("UADA"))?.id, before?.id)
      assert.deepStrictEqual(yield* memberNames("CGENERAL"), ["ada"])
    })))

  it.scopedLive("waits when the platform asks for it, and repeats what failed in passing", () =>
    inWorld(Effect.gen(function*() {
      const { callsOf, misbehave, state } = yield* Platform
      state.channel("GENERAL")
      misbehave("users.list", { _tag: "rateLimited", retryAfter: 0 }, { _tag: "status", status: 503 })
      misbehave("conversations.list", { _tag: "drop", after: true }, { _tag: "error", code: "internal_error" })
      assert.deepInclude(yield* syncAll, { synced: 1, errors: [] })
      assert.deepStrictEqual([callsOf("users.list").length, callsOf("conversations.list").length], [3, 3])
    })))

  it.scopedLive("lists the pages that failed, and leaves what they are about as it was", () =>
    inWorld(Effect.gen(function*() {
      const { misbehaveIf, state } = yield* Platform
      state.user("ADA")
      state.user("BOB")
      for (let at = 0; at < 300; at++) state.channel(`X${at}`, { members: at === 7 ? ["UTROUPE", "UADA"] : [] })
      yield* syncAll
      state.channels.get("CX7")?.members.add("UBOB").delete("UADA")
      state.channels.delete("CX200")
      misbehaveIf(({ args, method }) =>
        (method === "conversations.list" && args["cursor"] !== undefined) || method === "conversations.members"
          ? { _tag: "status", status: 500 }
          : null
      )
      const report = yield* syncAll
      assert.deepInclude(report, { synced: 200, created: 0, deactivated: 0 })
      assert.deepStrictEqual(report.errors.map(({ path }) => path), ["channels", "channels/CX7/members"])
      assert.strictEqual(
        report.errors[0]?.message,
        "The chat platform responded to conversations.list with status 500."
      )
      assert.deepInclude(yield* (yield* Channels).find("CX200"), { is_active: true })
      assert.deepStrictEqual(yield* memberNames("CX7"), ["ada"])
    })))

  it.scopedLive("asks for no members while the platform is unavailable", () =>
    inWorld(Effect.gen(function*() {
      const { callsOf, misbehaveIf, state } = yield* Platform
      state.channel("GENERAL")
      yield* syncAll
      const before = callsOf("conversations.members").length
      misbehaveIf(() => ({ _tag: "drop", after: false }))
      const { errors } = yield* syncAll
      assert.deepStrictEqual(errors.map(({ path }) => path).sort(), ["channels", "users"])
      assert.strictEqual(callsOf("conversations.members").length, before)
    })))

  it.scopedLive("is shared by those who ask at the same time", () =>
    inWorld(Effect.gen(function*() {
      const { callsOf, state } = yield* Platform
      state.channel("GENERAL")
      const [one, two] = [yield* Effect.fork(syncAll), yield* Effect.fork(syncAll)]
      assert.deepStrictEqual(yield* Fiber.join(one), yield* Fiber.join(two))
      assert.strictEqual(callsOf("conversations.list").length, 1)
    })))

  it.scopedLive("of one channel brings also members that no list has, and tells an unknown channel", () =>
    inWorld(Effect.gen(function*() {
      const { state } = yield* Platform
      state.user("ADA")
      state.user("BOT", { is_bot: true })
      state.channel("GENERAL", { members: ["UTROUPE", "UADA", "UBOT"] })
      const { syncChannel } = yield* ChannelSync
      assert.deepInclude(yield* syncChannel("CGENERAL"), { synced: 1, created: 1, errors: [] })
      assert.deepStrictEqual(yield* memberNames("CGENERAL"), ["ada"])
      state.channels.delete("CGENERAL")
      assert.deepInclude(yield* syncChannel("CGENERAL"), { synced: 1, deactivated: 1 })
      for (const id of ["CNONE", "../etc", "c1"]) {
        assert.strictEqual((yield* Effect.flip(syncChannel(id)))._tag, "ChannelNotFound")
      }
    })))
})
