import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { outboxTable } from "../../src/Delivery/Outbox.ts"
import { OutboxOperations } from "../../src/Delivery/OutboxOperations.ts"
import { inboundTable } from "../../src/Intake/InboundMessage.ts"
import { makeWebhookRepo } from "../../src/Intake/Webhook/WebhookRepo.ts"
import { QueueBacklog } from "../../src/Queue/QueueBacklog.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import { buffersOf } from "../support/Buffers.ts"
import { inWorld, type Sent, Wire } from "../support/TaskWorld.ts"

/** The newest wait; the oldest have rare states, channels and types, and between them all are done. */
const givenMessages = (count: number) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query(
      `insert into outbox (id, channel, recipient, kind, payload, state, due_at, ended_at)
       select ('019a0000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, case when i = 1 then 'email' else 'chat' end, 'C' || i % 100, 'reply', '{}',
         case when i > $1 / 2 then 'pending' when i = 2 then 'failed' when i = 3 then 'sending' else 'sent' end,
         case when i > $1 / 2 or i = 3 then now() end, case when i <= $1 / 2 and i <> 3 then now() end
       from generate_series(1, $1) i`,
      [count]
    )
    yield* query(
      `insert into inbound_messages (id, source, type, delivery_id, body, headers, url, state, due_at, ended_at)
       select ('019a0000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'webhook', case when i = 1 then 'rare' else 'often' end, 'd' || i, '{}', '{}', '/',
         case when i > $1 / 2 then 'pending' when i = 2 then 'failed' when i = 3 then 'processing' else 'done' end,
         case when i > $1 / 2 or i = 3 then now() end, case when i <= $1 / 2 and i <> 3 then now() end
       from generate_series(1, $1) i`,
      [count]
    )
    for (const table of ["outbox", "inbound_messages"]) yield* query(`vacuum analyze ${table}`)
  })

inWorld("Lists and counts of twenty thousand messages", (test) => {
  test("touch few pages, whatever state, channel or type they ask for", function*() {
    yield* givenMessages(20_000)
    const sent: Array<Sent> = []
    const real = yield* SearchStatements
    const captured = Layer.succeed(SearchStatements, {
      execute: (query) =>
        Effect.suspend(() => {
          sent.push(query)
          return real.execute(query)
        })
    })
    const services = yield* Layer.build(
      Layer.provide(Layer.merge(OutboxOperations.layer, QueueBacklog.layer), captured)
    )
    const outbox = Context.get(services, OutboxOperations)
    const backlog = Context.get(services, QueueBacklog)
    const webhooks = yield* Effect.provide(makeWebhookRepo({ lockExpirationSeconds: 20 }), captured)
    const page = { limit: 20, cursor: Option.none() }
    for (const state of ["pending", "sending", "sent", "failed"] as const) {
      yield* outbox.list({ ...page, state: Option.some(state), channel: Option.none() })
    }
    const mails = yield* outbox.list({ ...page, state: Option.none(), channel: Option.some("email") })
    yield* outbox.list({ ...page, state: Option.none(), channel: Option.none() })
    for (const state of ["pending", "processing", "done", "failed"] as const) {
      yield* webhooks.list({ ...page, source: "webhook", state })
    }
    const rare = yield* webhooks.list({ ...page, source: "webhook", type: "rare" })
    yield* webhooks.list({ ...page, source: "webhook" })
    assert.deepStrictEqual([mails.length, rare.length], [1, 1])

    assert.deepStrictEqual(yield* webhooks.stats, { pending: 1_000, processing: 1, failed: 1 })
    assert.deepInclude((yield* backlog.counts(outboxTable))[0], { queue: "chat", unfinished: 1_000, failed: 1 })
    assert.deepInclude((yield* backlog.counts(inboundTable))[0], { queue: "webhook", unfinished: 1_000, failed: 1 })
    for (const statement of sent) {
      const pages = yield* buffersOf(statement, { plan_cache_mode: "force_custom_plan", jit: "off" })
      assert.isBelow(pages, 250, `${statement.name} of ${statement.values.join(", ")}`)
    }
  })
})
