import type { Caller } from "@troupe/domain/Caller"
import { Effect, Option } from "effect"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { alice, bob, givenCompleted, givenWaiting, request } from "../support/GivenTasks.ts"
import { Wire } from "../support/TaskWorld.ts"
import { insertRows } from "../support/UserRows.ts"

export const memberBob: Caller = { id: bob, role: "member" }
export const memberAlice: Caller = { id: alice, role: "member" }
export const admin: Caller = { id: bob, role: "admin" }

/** A row of Alice in every table that contains rows of people, and secrets of tool servers. */
export const givenAlice = Effect.gen(function*() {
  yield* ensureRequestRole()
  const { query } = yield* Wire
  const tasks = yield* Tasks
  const id = yield* givenWaiting()
  yield* tasks.answer(id, "This one", Option.none())
  yield* givenCompleted()
  yield* tasks.submit(request("Once", {
    idempotency: { caller: memberAlice, key: "key", digest: "digest" }
  }))
  yield* query("insert into remembered_tasks values ($1)", [id])
  yield* query("insert into task_threads values ('chat', 'C1/1.5', $1)", [id])
  yield* query(
    `insert into inbound_messages (id, source, type, headers, url, task_id)
     values (gen_random_uuid(), 'webhook', 'orders', '{}', '', $1)`,
    [id]
  )
  yield* query("insert into chat_claims values ('message C1/1.5') on conflict do nothing")
  yield* query("insert into users (id, name) values ('alice', 'Alice') on conflict do nothing")
  yield* query(
    `insert into channels (channel_id, id, name, topic, purpose, is_private, is_active, is_member, member_count)
     values ('C1', gen_random_uuid(), 'secret', '', '', true, true, true, 1) on conflict do nothing`
  )
  yield* query("insert into channel_members (channel_id, user_id) values ('C1', 'alice') on conflict do nothing")
  yield* insertRows(query, alice)
  yield* query(
    `insert into unattended (kind, id, name, state, since, looked_at)
     select 'schedule', id::text, 'Stretch', 'ok', now(), now() from schedules where user_id = 'alice' on conflict do nothing`
  )
  yield* query("insert into former_members values ('https://id.example.org', 'alice', 'alice') on conflict do nothing")
  yield* query("insert into joined_users values ('former', 'alice') on conflict do nothing")
  yield* query("insert into mail_ledger (mailbox, uid_validity, uid) values ('inbox', 1, 1) on conflict do nothing")
  yield* query("insert into prompt_texts (digest, text) values ('a', 'Be brief') on conflict do nothing")
  yield* query("insert into task_word_blocks values ($1, $1, 1, '{1}')", [id])
  yield* query("insert into erasures values ('alice') on conflict do nothing")
  yield* query(
    "insert into team_members (id, email, role) values (gen_random_uuid(), 'alice@example.org', 'owner') on conflict do nothing"
  )
  yield* query("insert into stored_settings values (true, 1, '{}') on conflict do nothing")
  yield* query("insert into setting_changes (id, name, is_set) values (gen_random_uuid(), 'SMTP_HOST', true)")
  yield* query("insert into tool_server_config values (true, 1, '{\"secret\": 1}') on conflict do nothing")
  yield* query("insert into model_config values (true, 1, '{}', 'settings', '{}') on conflict do nothing")
  yield* query(
    `insert into sessions (token_hash, member_id, issuer, subject, expires_at, ends_at)
     select 'hash', id, 'https://id.example.org', 'alice', now(), now() from team_members limit 1 on conflict do nothing`
  )
  yield* query(
    `insert into access_tokens (id, digest, member_id, issuer, subject, user_id, name, prefix, role)
     select gen_random_uuid(), 'digest', id, 'https://id.example.org', 'alice', 'alice', 'Reports', 'trp_abcdef', 'member'
     from team_members limit 1 on conflict do nothing`
  )
  yield* query(
    `insert into deleted_ends (completed_at, created_at, task_type, status, model_calls, input_tokens, output_tokens)
     values (now(), now(), 'task', 'completed', 0, 0, 0)`
  )
  yield* query(
    `insert into task_hours (hour, completed, failed, started, model_calls, input_tokens, output_tokens, cost, unpriced_tasks)
     values ('2026-01-01 10:00:00Z', 1, 0, 0, 0, 0, 0, 0, 0) on conflict do nothing`
  )
  yield* query(
    `insert into tool_server_authorizations (server, user_id, issuer, url, facts, secrets, connected_by)
     values ('files', 'alice', 'https://id.example.org', 'https://example.org/mcp', '{}', '{}', 'alice') on conflict do nothing`
  )
  yield* query(
    `insert into tool_server_sign_ins (state, server, user_id, begun_by, secrets, expires_at)
     values ('digest', 'files', 'alice', 'alice', '{}', now() + interval '1 hour') on conflict do nothing`
  )
  yield* query(
    "insert into tool_server_clients values ('registered', 'https://id.example.org', '{}') on conflict do nothing"
  )
  yield* query("insert into spending_limits values (true, '{}') on conflict do nothing")
  yield* query("insert into spending_marks (key) values ('person:alice/day/2026-01-01') on conflict do nothing")
  yield* query(
    "insert into policies (revision, preset, rules, classes) values (1, 'balanced', '[]', '{}') on conflict do nothing"
  )
  yield* query(
    `insert into approvals (id, task_id, tool_call_id, tool, class, arguments, files, parameters, preset, binding, who, created_at)
     values (gen_random_uuid(), $1, 'call', 'files__write', 'outside', '{}', '[]', '{}', 'balanced', '', '{requester}', now())`,
    [id]
  )
  yield* query(
    `insert into grants (id, tool, binding, scope, "values", granted_by)
     values (gen_random_uuid(), 'files__write', '', 'task', '{}', 'alice')`
  )
  yield* query("insert into tool_server_pins values ('files', '[]') on conflict do nothing")
  return id
})
