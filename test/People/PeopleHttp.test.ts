import { assert, layer } from "@effect/vitest"
import { Effect, Encoding, Layer } from "effect"
import { v7 } from "uuid"
import { call, listed, object, refused } from "../Http/calls.ts"
import { Service, startService } from "../Http/service.ts"

const absentId = "01900000-0000-7000-8000-000000000000"

/** Notifications with words of their own for the user, oldest first. */
const givenFeed = (user: string, count: number) =>
  Effect.gen(function*() {
    const { query } = yield* Service
    const ids = Array.from({ length: count }, (_, index) => v7({ msecs: 1_800_000_000_000 + index }))
    yield* query("insert into users (id) values ($1)", [user])
    yield* query(
      `insert into notifications (id, user_id, kind, title, body)
       select id, $1, 'reminder', 'Reminder ' || n - 1, 'Now' from unnest($2::uuid[]) with ordinality as given (id, n)`,
      [user, ids]
    )
    return ids
  })

layer(Layer.scoped(Service, startService()), { excludeTestServices: true })("Over HTTP", (it) => {
  it.effect("users are changed field by field and listed, and their overrides are cleared", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      assert.deepInclude(yield* object("GET", "/users/me", 200), { id: "default", role: "owner" })
      yield* query("insert into users (id, name) values ('zoe', 'Zoe')")
      const path = "/users/default"
      const changed = yield* object("PUT", path, 200, { name: "Ada", timezone: "Europe/Berlin" })
      assert.deepInclude(changed, { id: "default", name: "Ada", role: "owner", overrides: ["name", "timezone"] })
      assert.deepInclude(yield* object("PUT", path, 200, { title: null, unknown: 1 }), {
        title: null,
        name: "Ada",
        overrides: ["name", "timezone", "title"]
      })
      assert.deepInclude(yield* object("DELETE", `${path}/overrides`, 200), { name: "Ada", overrides: [] })
      const ids = (yield* listed("/users")).map(({ id }) => id)
      assert.deepStrictEqual(ids.filter((id) => id === "default" || id === "zoe"), ["default", "zoe"])
      for (const cursor of ["zoe", Encoding.encodeBase64Url("{}")]) {
        yield* refused("invalid-request", "GET", `/users?cursor=${cursor}`, 400)
      }
      yield* call("GET", `/users?cursor=${Encoding.encodeBase64Url(JSON.stringify({ name: "y\0", id: "y" }))}`, 200)
    }))

  it.effect("invalid changes of a user are refused, with the name of each field", () =>
    Effect.gen(function*() {
      const wrong = [
        ["name", "", "1 to 200 characters, or null"],
        ["title", 7, "Expected string, actual 7"],
        ["email", "ada", "an e-mail address like ada@example.org, or null"],
        ["timezone", "Mars/Olympus", "the name of an IANA time zone like Europe/Berlin, or null"],
        ["notify_by", ["pigeon"], "one of \\\"chat\\\", \\\"email\\\", \\\"ui\\\""]
      ] as const
      for (const [field, value, words] of wrong) {
        const { text } = yield* call("PUT", "/users/default", 400, { [field]: value })
        assert.include(text, `"path":"${field}`)
        assert.include(text, words)
      }
    }))

  it.effect("the feed is read page by page, marked and cleared", () =>
    Effect.gen(function*() {
      const path = "/users/fay/notifications"
      const [oldest, , newest] = yield* givenFeed("fay", 3)
      const all = yield* listed(path)
      assert.deepStrictEqual(all.map(({ title }) => title), ["Reminder 2", "Reminder 1", "Reminder 0"])
      assert.deepInclude(all[0], {
        id: newest,
        task_id: null,
        body: "Now",
        created_at: "2027-01-15T08:00:00.002Z",
        read: false,
        read_at: null
      })
      const one = `${path}/${oldest}`
      const marked = yield* object("POST", `${one}/mark_read`, 200)
      assert.isTrue(marked["read"])
      assert.deepStrictEqual(yield* object("POST", `${one}/mark_read`, 200), marked)
      assert.deepStrictEqual(yield* listed(`${path}?unread=true`), all.slice(0, 2))
      yield* refused("invalid-request", "GET", `${path}?unread=perhaps`, 400)
      const ofAnother = `/users/default/notifications/${newest}`
      yield* refused("notification-not-found", "DELETE", ofAnother, 404)
      yield* refused("notification-not-found", "POST", `${ofAnother}/mark_read`, 404)
      assert.deepStrictEqual(yield* listed(`${path}?unread=true`), all.slice(0, 2))
      assert.strictEqual((yield* call("DELETE", one, 204)).text, "")
      assert.deepStrictEqual(yield* listed(path), all.slice(0, 2))
      for (const gone of [one, `${path}/nope`, `${path}/${absentId}`, `/users/a%20b/notifications/${newest}`]) {
        yield* refused("notification-not-found", "DELETE", gone, 404)
        yield* refused("notification-not-found", "POST", `${gone}/mark_read`, 404)
      }
    }))
})
