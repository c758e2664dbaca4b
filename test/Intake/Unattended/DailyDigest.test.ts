import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Outbox } from "../../../src/Delivery/Outbox.ts"
import { Reminders } from "../../../src/Delivery/Reminders.ts"
import { makeDailyDigest } from "../../../src/Intake/Unattended/DailyDigest.ts"
import { atOneMoment } from "../../support/FrozenClock.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { unconfiguredChat } from "../../support/UnconfiguredChat.ts"

/** Work of carol and of a sender whom nobody knows, and what the digests say about it. */
const given = Effect.gen(function*() {
  const { query } = yield* Wire
  for (const table of ["notifications", "actors", "tasks", "unattended", "outbox"]) yield* query(`delete from ${table}`)
  yield* query(
    `insert into users (id, role, timezone, notify_by, email) values
      ('default', 'owner', 'UTC', '{}', null), ('carol', 'member', 'UTC', '{email}', 'carol@example.org'),
      ('stranger', 'member', null, '{}', 'x@example.com')
     on conflict (id) do update set timezone = excluded.timezone, notify_by = excluded.notify_by, email = excluded.email`
  )
  yield* query(
    "insert into chat_accounts (platform, account, user_id) values ('slack', 'UC', 'carol') on conflict do nothing"
  )
  yield* query("update users set digest_on = '2020-01-01'")
  const task = (creator: string, status: string, cost: number | null) =>
    query(
      `with task as (
         insert into tasks (id, created_at, creator, title, description, task_type)
         values (gen_random_uuid(), now(), $1, 'Report', 'Report', 'task') returning id
       )
       insert into actors (task_id, shard, creator, updated_at, status, completed_at, error, cost, model_calls)
       select id, 1, $1, now(), $2, case when $2 = 'waiting_input' then null else now() end,
         case when $2 = 'failed' then 'It broke.' end, $3, 1 from task`,
      [creator, status, cost]
    )
  yield* task("carol", "completed", 0.5)
  yield* task("carol", "failed", 0.25)
  yield* task("carol", "waiting_input", null)
  yield* task("stranger", "completed", 0.5)
  const services = yield* Layer.build(Layer.provide(Reminders.layer, [Outbox.layer, unconfiguredChat]))
  const digest = (hour: number | null) =>
    Effect.flatten(makeDailyDigest({ hour: () => hour, isHosted: false })).pipe(Effect.provide(services))
  const told = query<{ user_id: string; title: string; body: string; kind: string }>(
    "select user_id, kind, title, body from notifications order by id"
  )
  return { digest, query, task, told }
})

// At one moment, because the next day has its own digest.
inWorld("The daily digest", (test) => {
  test("reaches each person with work once a day, whichever process sends it, and no unknown sender", function*() {
    const { digest, query, told } = yield* given
    yield* Effect.all([digest(0), digest(0)], { concurrency: "unbounded" })
    yield* digest(0)
    const [first, ...more] = yield* told
    assert.deepStrictEqual(more, [])
    assert.deepInclude(first, {
      user_id: "carol",
      kind: "reminder",
      title: "Daily digest: 1 completed, 1 failed, 1 waiting"
    })
    assert.include(first?.body ?? "", "Cost: 0.75.")
    const mails = yield* query<{ channel: string }>(
      "select channel from outbox where user_id = 'carol' order by channel"
    )
    assert.deepStrictEqual(mails.map(({ channel }) => channel), ["email"])
  })

  test("has what webhooks and their like began for owner and admins only", function*() {
    const { digest, task, told } = yield* given
    yield* task("system", "failed", 1)
    yield* digest(0)
    const digests = Object.fromEntries((yield* told).map(({ body, title, user_id }) => [user_id, `${title}. ${body}`]))
    assert.include(digests["carol"], "1 completed, 1 failed, 1 waiting")
    assert.include(digests["default"], "0 completed, 1 failed, 0 waiting")
    assert.include(digests["default"], "Cost: 1.00.")
  })

  test("is not sent while it is off", function*() {
    const { digest, told } = yield* given
    yield* digest(null)
    assert.deepStrictEqual(yield* told, [])
  })
}, atOneMoment)
