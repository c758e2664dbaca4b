import { FetchHttpClient } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import type { TaskStatus } from "@troupe/domain/Task"
import { Effect, Layer, Schema } from "effect"
import { formBody, invalidOf, jsonBody, type Operation, operations, validOf } from "./OpenApiCalls.ts"
import { Service, startService } from "./service.ts"
import { send, walked } from "./walk.ts"

const user = "alice"

const bulk = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e61"
const memory = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e55"
const subscription = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e59"
const deadLetter = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e60"
const notification = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e56"
const schedule = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e57"
/** Beyond what the task's own steps reach. */
const seq = 1_000
const delivery = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e58"

/** What the task of a call must be for it to be taken; left out: pending. */
const statuses: Readonly<Record<string, TaskStatus>> = {
  "POST /human_response": "waiting_input",
  "POST /task/{task_id}/retry": "failed"
}

/** A user with one of each thing, so that the parameters of a path may name something that exists. */
const given = Effect.fnUntraced(function*(operation: Operation) {
  const { query } = yield* Service
  const { text } = yield* send({
    method: "POST",
    path: "/chat",
    ...jsonBody({ message: "Write a poem", user_id: user })
  })
  const { task_id } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ task_id: Schema.String })))(text)
  yield* send({
    method: "POST",
    path: "/api/skills/",
    ...jsonBody({ name: "poems", description: "Writes poems", instructions: "In verse." })
  })
  yield* send({ method: "POST", path: "/upload-file", ...formBody })
  yield* query(
    `with memory as (
       insert into memories (id, user_id, content, model, dimensions, vector, version, created_at, updated_at)
       values ($2, $1, 'Likes tea', 'none', 1, '{1}', 1, now(), now()) on conflict do nothing
     ), schedule as (
       insert into schedules (id, user_id, kind, message, cron, timezone, next_run_at)
       values ($4, $1, 'task', 'Brew tea', '0 9 * * *', 'UTC', now() + interval '1 day') on conflict do nothing
     ), delivery as (
       insert into inbound_messages (id, source, type, body, headers, url)
       values ($5, 'webhook', 'orders', '{}', '{}', '/webhook/orders') on conflict do nothing
     )
     insert into notifications (id, user_id, kind, title, body) values ($3, $1, 'reminder', 'Tea', 'Now')
     on conflict do nothing`,
    [user, memory, notification, schedule, delivery]
  )
  yield* query(
    `with channel as (
       insert into channels (channel_id, id, name, topic, purpose, is_private, is_active, is_member, member_count)
       values ('CGENERAL', gen_random_uuid(), 'general', '', '', false, true, true, 1) on conflict do nothing
     )
     insert into channel_members (channel_id, user_id) values ('CGENERAL', $1) on conflict do nothing`,
    [user]
  )
  yield* query(
    `with event as (
       insert into outbox (id, channel, recipient, kind, user_id, payload)
       values ($2::uuid, 'webhook', $1::text, 'subscription.test', $3, '{}') on conflict do nothing
     )
     insert into subscriptions (id, user_id, url, events, tasks, secret)
     values ($1::text::uuid, $3, 'http://127.0.0.1:9/', '{task.failed}', 'own', '{"plain": "whsec_"}') on conflict do nothing`,
    [subscription, delivery, user]
  )
  yield* query(
    `insert into outbox (id, channel, recipient, kind, payload, state, due_at, ended_at)
     values ($1, 'email', 'a@x.org', 'mail', '{}', 'failed', null, now())
     on conflict (id) do update set state = 'failed', due_at = null, ended_at = now()`,
    [deadLetter]
  )
  yield* query(
    `insert into tool_server_config (version, servers) values (1, $1)
     on conflict (single) do update set servers = excluded.servers`,
    [JSON.stringify({ walked: toolServer })]
  )
  yield* query(
    `insert into bulk_operations (id, creator, role, action, filter, digest, cursor, finished_at)
     values ($1, $2, 'owner', 'retry', '{}', '', $1, now()) on conflict do nothing`,
    [bulk, user]
  )
  yield* query(
    `insert into steps (task_id, seq, at, body)
     values ($1, $2, now(), '{"kind":"model","message":{"content":"Roses"},"tokens":[1,1],"millis":1}')`,
    [task_id, seq]
  )
  const status = statuses[operation.name]
  if (status !== undefined) yield* query("update actors set status = $2 where task_id = $1", [task_id, status])
  return {
    task_id,
    seq: String(seq),
    bulk_id: bulk,
    user_id: user,
    skill_name: "poems",
    server_name: "walked",
    path: "notes.txt",
    memory_id: memory,
    notification_id: notification,
    channel_id: "CGENERAL",
    schedule_id: schedule,
    subscription_id: subscription,
    delivery_id: delivery,
    outbox_id: deadLetter,
    query: "a poem"
  }
})

/** As it is stored. */
const toolServer = {
  transport: "http",
  url: "http://127.0.0.1:9/",
  headers: {},
  disabled: true,
  timeoutSeconds: null,
  allowedTools: null
}

/** A self-hosted service has no team, whatever is asked of it. */
const hasTeam = ({ path }: Operation) =>
  !path.startsWith("/team/") && (path === "/auth/session" || !path.startsWith("/auth/"))

/** What only the chat platform may call, by its signature; each with the status of a forged request. */
const signed: Readonly<Record<string, number>> = {
  "POST /team-chat/command": 401,
  "POST /team-chat/dm_response": 200,
  "POST /team-chat/interactive": 401
}

layer(Layer.merge(Layer.scoped(Service, startService()), FetchHttpClient.layer), { excludeTestServices: true })(
  "Over the OpenAPI document",
  (it) => {
    for (const operation of operations.filter(({ name }) => name in signed)) {
      it.effect(`${operation.name} refuses what is not signed`, () =>
        Effect.gen(function*() {
          for (const call of [...validOf(operation, {}), ...invalidOf(operation, {})]) {
            const { status, text } = yield* send(call)
            assert.strictEqual(status, signed[operation.name])
            assert.match(text, /invalid[_-]signature/)
          }
        }))
    }
    for (const operation of operations.filter(({ name }) => !(name in signed))) {
      it.effect(`${operation.name} takes what is valid and refuses the rest`, () =>
        Effect.gen(function*() {
          const known = yield* given(operation)
          yield* walked(operation, known, { isThere: hasTeam(operation) })
        }))
    }
  }
)
