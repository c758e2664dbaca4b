import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { makeImapServer } from "../../support/ImapServer.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { check, mailText, outcomes } from "./inbox.ts"

const anHourLater = Effect.flatMap(
  Wire,
  ({ query }) =>
    query(
      `update mail_ledger set done_at = done_at - interval '61 minutes',
         next_attempt_at = next_attempt_at - interval '61 minutes'`
    )
)

const givenKnown = (...ids: ReadonlyArray<string>) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `insert into users (id, email, chat_user_id) select id, id || '@example.net', 'U' || id from unnest($1::text[]) id
       on conflict (id) do update set email = excluded.email, chat_user_id = excluded.chat_user_id`,
      [ids]
    ))

inWorld("Mails of an hour", (test) => {
  test("to one mailbox with different tags are of one sender", function*() {
    const server = yield* makeImapServer
    for (const tag of ["+a", "+b", "", "+c"]) server.deliver(mailText("Hello", { From: `eve${tag}@example.net` }))
    server.deliver(mailText("Hello", { From: "eva@example.net" }))
    yield* check(server.settings(), { maxPerSender: 2 })
    assert.deepStrictEqual(yield* outcomes, ["task", "task", null, null, "task"])
  })

  test("of all unknown senders have a limit together, which those of known ones do not share", function*() {
    yield* givenKnown("kim", "lee")
    const server = yield* makeImapServer
    for (const name of ["one", "two", "kim", "three", "four", "lee"]) {
      server.deliver(mailText("Hello", { From: `${name}@example.net` }))
    }
    yield* check(server.settings(), { maxUnknown: 2 })
    assert.deepStrictEqual(yield* outcomes, ["task", "task", "task", null, null, "task"])
    const { query } = yield* Wire
    assert.deepStrictEqual(
      yield* query("select from users where id in ('three@example.net', 'four@example.net')"),
      []
    )
    yield* anHourLater
    yield* check(server.settings(), { maxUnknown: 2 })
    assert.deepStrictEqual(yield* outcomes, ["task", "task", "task", "task", "task", "task"])
  })

  test("of all senders have a limit; beyond it, one mail is checked and all wait", function*() {
    yield* givenKnown("kim", "lee")
    const server = yield* makeImapServer
    for (const name of ["kim", "lee", "kim", "lee", "kim"]) {
      server.deliver(mailText("Hello", { From: `${name}@example.net` }))
    }
    yield* check(server.settings(), { maxPerHour: 2 })
    assert.deepStrictEqual(yield* outcomes, ["task", "task", null])
    assert.deepStrictEqual(server.mails.map(({ seen }) => seen), [true, true, false, false, false])
    yield* anHourLater
    yield* check(server.settings(), { maxPerHour: 3 })
    assert.deepStrictEqual(yield* outcomes, ["task", "task", "task", "task", "task"])
  })
})
