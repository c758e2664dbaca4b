import type { TaskStatus } from "@troupe/domain/Task"
import { Effect, Schema } from "effect"
import { type Call, formBody, jsonBody, type Operation } from "./OpenApiCalls.ts"
import { Service } from "./service.ts"
import { send } from "./walk.ts"

const bulk = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e61"
const memory = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e55"
const subscription = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e59"
const deadLetter = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e60"
const notification = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e56"
const schedule = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e57"
/** Beyond what the task's own steps reach. */
const seq = 1_000
const grant = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e62"
const delivery = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e58"

/** What the task of a call must be for it to be taken; left out: pending. */
const statuses: Readonly<Record<string, TaskStatus>> = {
  "POST /human_response": "waiting_input",
  "POST /task/{task_id}/approvals": "waiting_input",
  "POST /task/{task_id}/retry": "failed"
}

/** One of each thing that the user has, but for the task. */
const things = (user: string) => `
insert into memories (id, user_id, content, model, dimensions, vector, version, created_at, updated_at)
values ('${memory}', '${user}', 'Likes tea', 'none', 1, '{1}', 1, now(), now()) on conflict do nothing;
insert into schedules (id, user_id, kind, message, cron, timezone, next_run_at)
values ('${schedule}', '${user}', 'task', 'Brew tea', '0 9 * * *', 'UTC', now() + interval '1 day') on conflict do nothing;
insert into inbound_messages (id, source, type, body, headers, url)
values ('${delivery}', 'webhook', 'orders', '{}', '{}', '/webhook/orders') on conflict do nothing;
insert into notifications (id, user_id, kind, title, body)
values ('${notification}', '${user}', 'reminder', 'Tea', 'Now') on conflict do nothing;
insert into channels (channel_id, id, name, topic, purpose, is_private, is_active, is_member, member_count)
values ('CGENERAL', gen_random_uuid(), 'general', '', '', false, true, true, 1) on conflict do nothing;
insert into channel_members (channel_id, user_id) values ('CGENERAL', '${user}') on conflict do nothing;
insert into subscriptions (id, user_id, url, events, tasks, secret)
values ('${subscription}', '${user}', 'http://127.0.0.1:9/', '{task.failed}', 'own', '{"plain": "whsec_"}')
on conflict do nothing;
insert into outbox (id, channel, recipient, kind, user_id, payload)
values ('${delivery}', 'webhook', '${subscription}', 'subscription.test', '${user}', '{}') on conflict do nothing;
insert into outbox (id, channel, recipient, kind, payload, state, due_at, ended_at)
values ('${deadLetter}', 'email', 'a@x.org', 'mail', '{}', 'failed', null, now())
on conflict (id) do update set state = 'failed', due_at = null, ended_at = now();
insert into tool_server_config (version, servers)
values (1, '{"walked": {"transport": "http", "url": "http://127.0.0.1:9/", "headers": {}, "disabled": true,
  "timeoutSeconds": null, "allowedTools": null}}')
on conflict (single) do update set servers = excluded.servers;
insert into model_config (version, models, default_model, fallbacks)
values (1, '{"walked": {"provider": "openai-compatible", "model": "m", "base_url": "http://127.0.0.1:9/v1", "key": null,
  "context_tokens": null, "price": null, "temperature": null}}', 'settings', '{}')
on conflict (single) do update
  set models = excluded.models, default_model = excluded.default_model, fallbacks = excluded.fallbacks,
  version = model_config.version + 1;
insert into grants (id, tool, binding, scope, "values", granted_by)
values ('${grant}', 'files__write', '', 'agent', '{}', '${user}') on conflict do nothing;
insert into bulk_operations (id, creator, role, action, filter, digest, cursor, finished_at)
values ('${bulk}', '${user}', 'owner', 'retry', '{}', '', '${bulk}', now()) on conflict do nothing`

const knownOf = (user: string) => ({
  grant_id: grant,
  seq: String(seq),
  bulk_id: bulk,
  user_id: user,
  skill_name: "poems",
  agent_name: "poet",
  server_name: "walked",
  name: "walked",
  path: "notes.txt",
  memory_id: memory,
  notification_id: notification,
  channel_id: "CGENERAL",
  schedule_id: schedule,
  subscription_id: subscription,
  delivery_id: delivery,
  outbox_id: deadLetter,
  query: "a poem"
})

/** A task in the status that the operation needs. */
const givenTask = <R>({ name }: Operation, user: string, sent: Sent<R>) =>
  Effect.gen(function*() {
    const { query } = yield* Service
    const call = { method: "POST", path: "/chat", ...jsonBody({ message: "Write a poem", user_id: user }) } as const
    const { text } = yield* send(yield* sent(call))
    const { task_id } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ task_id: Schema.String })))(text)
    yield* query(
      `with step as (
       insert into steps (task_id, seq, at, body)
       values ($1, $2, now(), '{"kind":"model","message":{"content":"Roses"},"tokens":[1,1],"millis":1}')
     )
     , asked as (
       insert into approvals (id, task_id, tool_call_id, tool, class, arguments, files, parameters, preset, binding, who, created_at)
       select gen_random_uuid(), $1, 'call_1', 'files__write', 'outside', '{}', '[]', '{}', 'balanced', '', '{requester}', now()
       where $4::boolean
     )
     update actors set status = coalesce($3, status) where task_id = $1`,
      [task_id, seq, statuses[name] ?? null, name.endsWith("/approvals")]
    )
    return { task_id }
  })

type Sent<R> = (call: Call) => Effect.Effect<Call, never, R>

/** One of each thing of the user, so that the parameters of a path may name something that exists; `sent` signs calls. */
export const given = <R = never>(operation: Operation, user: string, sent: Sent<R> = Effect.succeed) =>
  Effect.gen(function*() {
    const { query } = yield* Service
    const takes = (parameter: string) => operation.parameters.some(({ name }) => name === parameter)
    yield* query(things(user))
    const make = (path: string, name: string) =>
      Effect.flatMap(
        sent({ method: "POST", path, ...jsonBody({ name, description: "Writes poems", instructions: "In verse." }) }),
        send
      )
    if (takes("skill_name")) yield* make("/api/skills/", "poems")
    if (takes("agent_name")) yield* make("/api/agents", "poet")
    if (takes("path")) yield* send(yield* sent({ method: "POST", path: "/upload-file", ...formBody }))
    const known = knownOf(user)
    const hasTask = takes("task_id") || operation.name in statuses
    return hasTask ? { ...known, ...yield* givenTask(operation, user, sent) } : known
  })
