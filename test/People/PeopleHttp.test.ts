import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { defaultUser, UserId } from "@troupe/domain/Ids"
import { NotificationId, NotificationNotFound } from "@troupe/domain/Notification"
import { Effect, Encoding, Layer } from "effect"
import { v7 } from "uuid"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Shutdown } from "../../src/Http/NodeServer.ts"
import { UserRepo } from "../../src/People/UserRepo.ts"
import { Users } from "../../src/People/Users.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { makeFakes } from "../Http/Fakes.ts"
import { app, layerSettings } from "../Http/TestServer.ts"
import * as Database from "../support/Database.ts"

/** The real rooms on a database of their own, behind the whole HTTP side. */
const people = Notifications.layer.pipe(
  Layer.provideMerge(Users.layer),
  Layer.provide(UserRepo.layer),
  Layer.provide(Layer.orDie(Sql.layer({ maxConnections: 2 }))),
  Layer.provideMerge(Database.layer)
)
const server = app(makeFakes(), people).pipe(
  Layer.provideMerge(NodeHttpServer.layerTest),
  Layer.provide([Shutdown.layer, layerSettings({ ALLOWED_HOSTS: "0.0.0.0" })]),
  Layer.provideMerge(people)
)

const put = (path: string, body: unknown) =>
  Effect.flatMap(
    HttpClient.HttpClient,
    (http) => http.execute(HttpClientRequest.put(path).pipe(HttpClientRequest.bodyUnsafeJson(body)))
  )

const get = (path: string) => Effect.flatMap(HttpClient.HttpClient, (http) => http.get(path))

const absentId = NotificationId.make("01900000-0000-7000-8000-000000000000")

/** Notifications with words of their own for the default user, oldest first. */
const givenFeed = (count: number) =>
  Effect.gen(function*() {
    const url = yield* DatabaseUrl
    const ids = Array.from(
      { length: count },
      (_, index) => NotificationId.make(v7({ msecs: 1_800_000_000_000 + index }))
    )
    for (const [index, id] of ids.entries()) {
      yield* Database.query(
        url,
        "insert into notifications (id, user_id, kind, title, body) values ($1, $2, 'reminder', $3, 'Now')",
        [id, defaultUser, `Reminder ${index}`]
      )
    }
    return ids
  })

layer(server, { excludeTestServices: true })("Over HTTP", (it) => {
  it.effect("the user of a request is the default user, who exists from then on", () =>
    Effect.gen(function*() {
      const client = yield* TroupeClient.make()
      assert.deepInclude(yield* client.users.me({}), { id: defaultUser, role: "owner" })
    }))

  it.effect("users are changed field by field and listed, and their overrides are cleared", () =>
    Effect.gen(function*() {
      const client = yield* TroupeClient.make()
      const { ensureExists } = yield* Users
      yield* ensureExists(defaultUser)
      yield* ensureExists(UserId.make("zoe"))
      const path = { user_id: "default" }
      const changed = yield* client.users.change({ path, payload: { name: "Ada", timezone: "Europe/Berlin" } })
      assert.deepInclude(changed, { id: defaultUser, name: "Ada", role: "owner", overrides: ["name", "timezone"] })
      const raw = yield* Effect.flatMap(put("/users/default", { title: null, unknown: 1 }), ({ json }) => json)
      assert.deepInclude(raw, { title: null, name: "Ada", overrides: ["name", "timezone", "title"] })
      assert.deepInclude(yield* client.users.clearOverrides({ path }), { name: "Ada", overrides: [] })
      const [page, response] = yield* client.users.list({ urlParams: { limit: 1 }, withResponse: true })
      assert.strictEqual(page.length, 1)
      const [, next = ""] = /<(.+)>; rel="next"/.exec(response.headers["link"] ?? "") ?? []
      const rest = yield* Effect.flatMap(get(next), ({ json }) => json)
      assert.deepStrictEqual([...page, ...(Array.isArray(rest) ? rest : [])].map(({ id }) => id), ["default", "zoe"])
      for (const cursor of ["zoe", Encoding.encodeBase64Url("{}")]) {
        assert.strictEqual((yield* get(`/users?cursor=${cursor}`)).status, 400)
      }
      const forged = Encoding.encodeBase64Url(JSON.stringify({ name: "y\0", id: "y" }))
      assert.strictEqual((yield* get(`/users?cursor=${forged}`)).status, 200)
    }))

  it.effect("invalid changes of a user are refused, with the name of each field", () =>
    Effect.gen(function*() {
      const { ensureExists } = yield* Users
      yield* ensureExists(defaultUser)
      const wrong = [
        ["name", "", "1 to 200 characters, or null"],
        ["title", 7, "Expected string, actual 7"],
        ["email", "ada", "an e-mail address like ada@example.org, or null"],
        ["timezone", "Mars/Olympus", "the name of an IANA time zone like Europe/Berlin, or null"],
        ["notify_by", ["pigeon"], "one of \\\"chat\\\", \\\"email\\\", \\\"ui\\\""]
      ] as const
      for (const [field, value, words] of wrong) {
        const answer = yield* put("/users/default", { [field]: value })
        assert.strictEqual(answer.status, 400)
        const text = yield* answer.text
        assert.include(text, `"path":"${field}`)
        assert.include(text, words)
      }
    }))

  it.effect("an unknown user is not found by any request", () =>
    Effect.gen(function*() {
      const client = yield* TroupeClient.make()
      for (const id of ["nobody", "a b"]) {
        const path = { user_id: id }
        for (
          const error of [
            yield* Effect.flip(client.users.change({ path, payload: {} })),
            yield* Effect.flip(client.users.clearOverrides({ path })),
            yield* Effect.flip(client.notifications.list({ path, urlParams: {} }))
          ]
        ) {
          assert.strictEqual(error._tag, "UserNotFound")
          assert.strictEqual(error.message, `There is no user ${id}.`)
        }
      }
      assert.strictEqual((yield* get("/users/nobody/notifications")).status, 404)
    }))

  it.effect("the feed is read page by page, marked and cleared", () =>
    Effect.gen(function*() {
      const client = yield* TroupeClient.make()
      const { ensureExists } = yield* Users
      yield* ensureExists(defaultUser)
      const path = { user_id: "default" }
      assert.deepStrictEqual(yield* client.notifications.list({ path, urlParams: {} }), [])
      const [oldest = absentId, , newest = absentId] = yield* givenFeed(3)
      const [page, response] = yield* client.notifications.list({ path, urlParams: { limit: 2 }, withResponse: true })
      assert.deepStrictEqual(page.map(({ title }) => title), ["Reminder 2", "Reminder 1"])
      assert.deepInclude(page[0], {
        id: newest,
        task_id: null,
        body: "Now",
        created_at: "2027-01-15T08:00:00.002Z",
        read: false,
        read_at: null
      })
      const [, next = ""] = /<(.+)>; rel="next"/.exec(response.headers["link"] ?? "") ?? []
      assert.include(next, "/users/default/notifications?limit=2&cursor=")
      assert.include(yield* Effect.flatMap(get(next), ({ text }) => text), "Reminder 0")

      const one = { user_id: "default", notification_id: oldest }
      const marked = yield* client.notifications.markRead({ path: one })
      assert.isTrue(marked.read)
      assert.deepStrictEqual(yield* client.notifications.markRead({ path: one }), marked)
      const unread = yield* client.notifications.list({ path, urlParams: { unread: true } })
      assert.deepStrictEqual(unread.map(({ title }) => title), ["Reminder 2", "Reminder 1"])
      assert.strictEqual((yield* get("/users/default/notifications?unread=perhaps")).status, 400)

      const [, removed] = yield* client.notifications.remove({ path: one, withResponse: true })
      assert.strictEqual(removed.status, 204)
      for (const gone of [one, { ...one, notification_id: "nope" }, { ...one, user_id: "a b" }]) {
        assert.instanceOf(yield* Effect.flip(client.notifications.remove({ path: gone })), NotificationNotFound)
        assert.instanceOf(yield* Effect.flip(client.notifications.markRead({ path: gone })), NotificationNotFound)
      }
    }))
})
