import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { givenCompleted, givenTask, givenWaiting } from "../../support/GivenTasks.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { answering, check, inThread, mailText, outcomes, received } from "./inbox.ts"

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
      `with known as (
  insert into users (id, email) select id, id || '@example.net' from unnest($1::text[]) id
  on conflict (id) do update set email = excluded.email returning id
)
insert into chat_accounts (platform, account, user_id) select 'slack', 'U' || id, id from known on conflict do nothing`,
      [ids]
    ))

const mailsFrom = (...names: ReadonlyArray<string>) =>
  names.map((name) => mailText("Hello", { From: `${name}@example.net` }))

inWorld("Mails of an hour", (test) => {
  test("of one sender have a limit, with any tag; further ones wait, those of other senders do not", function*() {
    const limit = { maxPerSender: 2 }
    const server = yield* received(mailsFrom("eve+a", "eve+b", "eve", "eve+c", "eva"), limit)
    assert.deepStrictEqual(yield* outcomes, ["task", "task", null, null, "task"])
    const { query } = yield* Wire
    assert.deepStrictEqual(
      yield* query(
        `select count(*)::integer as n from mail_ledger where outcome is null and attempts = 0
             and next_attempt_at between now() + interval '59 minutes' and now() + interval '61 minutes'`
      ),
      [{ n: 2 }]
    )
    yield* anHourLater
    yield* check(server.settings(), limit)
    assert.deepStrictEqual(yield* outcomes, ["task", "task", "task", "task", "task"])
    assert.isTrue(server.mails.every(({ seen }) => seen))
  })

  test("of one sender have a limit that counts answers, messages and continuations too", function*() {
    const { query } = yield* Wire
    const given = { answer: givenWaiting(), message: givenTask(), continuation: givenCompleted() }
    for (const [outcome, task] of Object.entries(given)) {
      yield* query("truncate mail_ledger, task_threads")
      yield* Effect.flatMap(task, inThread)
      yield* received(["One", "Two"].map((text) => mailText(text, answering)), { maxPerSender: 1 })
      assert.deepStrictEqual(yield* outcomes, [outcome, null])
    }
  })

  test("of all unknown senders have a limit together, which those of known ones do not share", function*() {
    yield* givenKnown("kim", "lee")
    yield* received(mailsFrom("one", "two", "kim", "three", "four", "lee"), { maxUnknown: 2 })
    assert.deepStrictEqual(yield* outcomes, ["task", "task", "task", null, null, "task"])
    const { query } = yield* Wire
    assert.deepStrictEqual(
      yield* query("select from users where id in ('three@example.net', 'four@example.net')"),
      []
    )
  })

  test("of all senders have a limit; beyond it, one mail is checked and all wait", function*() {
    yield* givenKnown("kim", "lee")
    const server = yield* received(mailsFrom("kim", "lee", "kim", "lee", "kim"), { maxPerHour: 2 })
    assert.deepStrictEqual(yield* outcomes, ["task", "task", null])
    assert.deepStrictEqual(server.mails.map(({ seen }) => seen), [true, true, false, false, false])
    yield* anHourLater
    yield* check(server.settings(), { maxPerHour: 3 })
    assert.deepStrictEqual(yield* outcomes, ["task", "task", "task", "task", "task"])
  })
})
