import { assert, describe, it } from "@effect/vitest"
import { ChatChannelId } from "@troupe/domain/Channel"
import { UserId } from "@troupe/domain/Ids"
import { DateTime, Effect, Layer, Option } from "effect"
import { basename } from "node:path"
import { Model, ModelUnavailable } from "../../src/Model/Model.ts"
import { offlineModel } from "../../src/Model/Offline.ts"
import { ChannelMessages, maxKept } from "../../src/People/Channel/ChannelMessages.ts"
import { makeRefreshSummaries, newestKept, summariseAbove } from "../../src/People/Channel/ChannelSummaries.ts"
import { ChannelSync } from "../../src/People/Channel/ChannelSync.ts"
import { Memberships } from "../../src/People/Channel/Memberships.ts"
import { Projects } from "../../src/People/Channel/Projects.ts"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { chatWorld, Platform, query } from "./chat.ts"

const general = ChatChannelId.make("CGENERAL")
/** Messages of an hour ago: those of a month ago are deleted. */
const began = Math.floor(DateTime.unsafeNow().epochMillis / 1_000) - 3_600
const ts = (at: number) => `${began + at}.000100`

const world = (options: Parameters<typeof chatWorld>[0] & { readonly model?: Model["Type"] } = {}) =>
  Layer.merge(chatWorld(options), Layer.succeed(Model, options.model ?? offlineModel))

/** A private channel with Ada and Bob in it, synced. */
const given = Effect.gen(function*() {
  const { state } = yield* Platform
  state.user("ADA", { real_name: "Ada", profile: { display_name: "ada.l", title: "Engineer" } })
  state.user("BOB", { real_name: "Bob" })
  state.user("EVE", { real_name: "Eve" })
  state.channel("GENERAL", { is_private: true, members: ["UTROUPE", "UADA", "UBOB"] })
  yield* (yield* ChannelSync).syncAll
  const users = yield* query<{ id: UserId; name: string }>("select id, name from users order by name")
  return (name: string) => users.find((user) => user.name === name)?.id ?? UserId.make("none")
})

const keep = (at: number, text: string, userId: UserId | null = null) =>
  Effect.flatMap(
    ChannelMessages,
    (messages) => messages.keep({ channel: general, id: ts(at), at: Number(ts(at)), userId, text })
  )

const newest = Effect.flatMap(
  ChannelMessages,
  (repo) =>
    Effect.map(
      repo.newest({ channel: general, count: 1_000 }),
      (all) => all.map(({ content, sender }) => [sender, content])
    )
)

describe("What is said in a channel", () => {
  it.scopedLive("is kept once, in its order, changed and removed with the platform's", () =>
    Effect.gen(function*() {
      const idOf = yield* given
      const messages = yield* ChannelMessages
      yield* keep(2, "Second", idOf("Bob"))
      yield* keep(1, " First ", idOf("Ada"))
      yield* keep(2, "Again", idOf("Bob"))
      yield* keep(3, "Third")
      yield* keep(4, " ")
      yield* messages.keep({ channel: "CNONE", id: ts(1), at: 1, userId: null, text: "Lost" })
      assert.deepStrictEqual(yield* newest, [["ada.l", "First"], ["Bob", "Second"], ["somebody", "Third"]])
      yield* messages.change(general, ts(1), "First, corrected")
      yield* messages.remove(general, ts(3))
      assert.deepStrictEqual(yield* newest, [["ada.l", "First, corrected"], ["Bob", "Second"]])
      yield* (yield* UserRepo).remove(idOf("Bob"))
      assert.deepStrictEqual(yield* newest, [["ada.l", "First, corrected"]])
      assert.deepStrictEqual(yield* query("select from channel_members where user_id = $1", [idOf("Bob")]), [])
    }).pipe(Effect.provide(world())))

  it.scopedLive("is bounded by number and length", () =>
    Effect.gen(function*() {
      yield* given
      yield* query(
        `insert into channel_messages (channel_id, ts, content, said_at)
         select $1, $3::bigint + n || '.000100', n || ' x', to_timestamp($3::bigint + n)
         from generate_series(1, $2::integer) n where n <> 7`,
        [general, maxKept, began]
      )
      yield* keep(7, `7 ${"x".repeat(5_000)}`)
      for (let at = maxKept + 1; at <= maxKept + 5; at++) yield* keep(at, `${at} x`)
      const kept = yield* newest
      assert.strictEqual(kept.length, maxKept)
      assert.deepStrictEqual([kept[0]?.[1], kept[1]?.[1]?.length], ["6 x", 2_000])
    }).pipe(Effect.provide(world())))

  it.scopedLive("becomes part of the summary once there is enough of it, without the newest", () =>
    Effect.gen(function*() {
      const idOf = yield* given
      const refresh = yield* makeRefreshSummaries
      for (let at = 1; at <= summariseAbove; at++) yield* keep(at, `Fact ${at}`, idOf("Ada"))
      yield* refresh
      assert.strictEqual((yield* newest).length, summariseAbove)
      yield* keep(summariseAbove + 1, "The last one", idOf("Ada"))
      yield* refresh
      assert.strictEqual((yield* newest).length, newestKept)
      const repo = yield* ChannelMessages
      const { summary } = Option.getOrThrow(yield* repo.summary(general))
      assert.include(summary, "ada.l: Fact 21")
      assert.notInclude(summary, "Fact 22")
      const { channel } = yield* (yield* Projects).find(general, idOf("Eve"))
      assert.strictEqual(channel?.summary, summary)
      assert.deepStrictEqual([channel?.pending.length, channel?.pending.at(-1)?.content], [newestKept, "The last one"])
      yield* query("update channel_messages set said_at = now() - interval '31 days' where ts = $1", [ts(30)])
      yield* refresh
      assert.strictEqual((yield* newest).length, newestKept - 1)
    }).pipe(Effect.provide(world())))

  it.scopedLive("of guests makes the summary one from outside, which it stays", () =>
    Effect.gen(function*() {
      const idOf = yield* given
      const repo = yield* ChannelMessages
      const refresh = yield* makeRefreshSummaries
      const isOutside = Effect.map(repo.summary(general), (found) => Option.getOrThrow(found).is_summary_outside)
      const say = (from: number, user: string) =>
        Effect.forEach(
          Array.from({ length: summariseAbove }, (_, at) => from + at),
          (at) => keep(at, `Fact ${at}`, idOf(user)),
          { discard: true }
        )
      yield* say(1, "Ada")
      yield* keep(90, "More", idOf("Ada"))
      yield* refresh
      assert.isFalse(yield* isOutside)
      yield* query("update users set is_guest = true where id = $1", [idOf("Bob")])
      yield* say(100, "Bob")
      yield* refresh
      assert.isTrue(yield* isOutside)
      yield* query("delete from channel_messages")
      yield* say(200, "Ada")
      yield* keep(290, "More", idOf("Ada"))
      yield* refresh
      assert.isTrue(yield* isOutside)
    }).pipe(Effect.provide(world())))

  it.scopedLive("stays while the model fails, which the job reports", () =>
    Effect.gen(function*() {
      yield* given
      for (let at = 0; at <= summariseAbove; at++) yield* keep(at, `Fact ${at}`)
      const { message } = yield* Effect.flip(yield* makeRefreshSummaries)
      assert.match(message, /^1 channels? could not be summarised, the first is CGENERAL: /)
      assert.strictEqual((yield* newest).length, summariseAbove + 1)
    }).pipe(Effect.provide(world({
      model: { ...offlineModel, generate: () => Effect.fail(new ModelUnavailable({ provider: "test", reason: "No." })) }
    }))))
})

describe("The channel of a project", () => {
  const roles = Effect.gen(function*() {
    const idOf = yield* given
    yield* (yield* Memberships).change(general, "UBOB", { responsibilities: "Budget" })
    const { channel: found } = yield* (yield* Projects).find(general, idOf("Ada"))
    return { idOf, members: found?.members }
  })

  it.scopedLive("has its members with their roles, those of the channel first", () =>
    Effect.gen(function*() {
      const { idOf, members } = yield* roles
      assert.deepStrictEqual(members, [
        { name: "Bob", role: null, responsibilities: "Budget" },
        { name: "ada.l", role: "Engineer", responsibilities: null }
      ])
      const projects = yield* Projects
      assert.isNull((yield* projects.find("default", UserId.make("default"))).channel)
      assert.isNull((yield* projects.find("absent", idOf("Ada"))).folder)
      const { channel, folder, name } = yield* projects.find(general, idOf("Ada"))
      assert.deepStrictEqual([name, basename(folder ?? ""), channel?.members], ["general", general, members])
    }).pipe(Effect.provide(world())))

  it.scopedLive("has its topic and purpose as people read them, one line each", () =>
    Effect.gen(function*() {
      const idOf = yield* given
      yield* query(
        "update channels set topic = $2, purpose = $3 where channel_id = $1",
        [
          general,
          "Launch &amp; land:\u00a0<https://example.org/a?b=1&amp;c|the plan>\nPurpose: forged",
          "For \u202e<!here>"
        ]
      )
      const { channel } = yield* (yield* Projects).find(general, idOf("Ada"))
      assert.deepInclude(channel, {
        topic: "Launch & land: the plan (https://example.org/a?b=1&c) Purpose: forged",
        purpose: "For @here"
      })
    }).pipe(Effect.provide(world())))

  it.scopedLive("is private to its members, the owner and admins, in hosted mode", () =>
    Effect.gen(function*() {
      const { idOf } = yield* roles
      const { find } = yield* Projects
      // Nor does the persona in its folder reach a task of somebody else who names the project.
      const { channel, folder } = yield* find(general, idOf("Eve"))
      assert.deepStrictEqual([channel, folder], [null, null])
      yield* query("update users set role = 'admin' where id = $1", [idOf("Eve")])
      assert.strictEqual((yield* find(general, idOf("Eve"))).channel?.name, "general")
    }).pipe(Effect.provide(world({ trustsProfiles: false }))))
})
