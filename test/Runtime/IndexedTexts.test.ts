import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase, query } from "../support/Database.ts"

/** What keeps each indexed text short: an entry of a B-tree has at most 2,704 bytes, and a longer one is refused. */
const bounds: Readonly<Record<string, string>> = {
  "access_tokens.digest": "a digest",
  "access_tokens.user_id": "UserId: 128 characters",
  "actors.creator": "UserId: 128 characters",
  "actors.ended_by": "a closed set",
  "actors.queued_by": "a runner's address, from the settings",
  "actors.status": "a closed set",
  "bulk_operations.creator": "UserId: 128 characters",
  "bulk_operations.idempotency_key": "idempotencyKey: 255 characters",
  "channel_members.channel_id": "an id of the chat platform",
  "channel_members.user_id": "UserId: 128 characters",
  "channel_messages.channel_id": "an id of the chat platform",
  "channel_messages.ts": "an id of the chat platform",
  "channels.channel_id": "an id of the chat platform",
  "channels.project_id": "the channel's id and name, at most 80 characters on the chat platform",
  "chat_claims.key": "a word with ids of the chat platform",
  "erasures.user_id": "UserId: 128 characters",
  "file_reservations.user_id": "UserId: 128 characters",
  "chat_accounts.account": "an id of the chat platform",
  "chat_accounts.platform": "a name in the code",
  "chat_accounts.user_id": "UserId: 128 characters",
  "former_members.issuer": "OIDC_ISSUER",
  "former_members.subject": "Claims of IdTokens: 255 characters",
  "grants.tool": "A tool's name: 64 characters at most for model providers",
  "idempotency_keys.caller": "UserId: 128 characters",
  "idempotency_keys.key": "idempotencyKey: 255 characters",
  "inbound_messages.delivery_id": "WebhookDeliveryId: 255 characters, else a digest; an id of the chat platform",
  "inbound_messages.ordering_key": "a word with ids of the chat platform",
  "inbound_messages.source": "DeliverySource: 64 characters",
  "inbound_messages.state": "a closed set",
  "inbound_messages.type": "WebhookType: 128 characters",
  "inbox.key": "a word with ids of the service",
  "joined_users.id": "UserId: 128 characters",
  "mail_ledger.mailbox": "IMAP_MAILBOX",
  "mail_ledger.message_key": "a digest",
  "memories.user_id": "UserId: 128 characters",
  "memory_owners.user_id": "UserId: 128 characters",
  "notifications.user_id": "UserId: 128 characters",
  "outbox.channel": "a closed set",
  "outbox.recipient": "of webhooks only: the id of a subscription",
  "outbox.state": "a closed set",
  "outbox.user_id": "UserId: 128 characters",
  "rate_limits.caller": "a UserId or the address of a peer",
  "scheduled_jobs.holder": "a runner's address, from the settings",
  "scheduled_jobs.name": "a name in the code",
  "schedules.status": "a closed set",
  "schedules.user_id": "UserId: 128 characters",
  "sessions.token_hash": "a digest",
  "spending.agent": "AgentName",
  "spending.model": "SpentSums: 200 characters",
  "spending.source": "a closed set",
  "spending.user_id": "UserId: 128 characters",
  "spending_marks.key": "a UserId or an AgentName, and a date",
  "subscriptions.user_id": "UserId: 128 characters",
  "task_threads.channel": "a closed set",
  "task_threads.key": "MailParser: 400 characters of a Message-ID; ids of the chat platform",
  "tasks.assignee": "UserId: 128 characters",
  "tasks.agent": "AgentName: 64 characters",
  "tasks.creator": "UserId: 128 characters",
  "tasks.project_id": "TaskRequests: 255 characters; the id of a channel",
  "tasks.source": "a closed set",
  "tasks.webhook_type": "WebhookType: 128 characters",
  "team_members.email": "EmailAddress: 254 characters",
  "team_members.issuer": "OIDC_ISSUER",
  "team_members.role": "a closed set",
  "team_members.subject": "Claims of IdTokens: 255 characters",
  "team_members.user_id": "UserId: 128 characters",
  "tool_server_authorizations.issuer": "ServerMetadata: 500 characters",
  "tool_server_authorizations.server": "ServerName of the tool servers' configuration",
  "tool_server_authorizations.user_id": "UserId: 128 characters",
  "tool_server_clients.name": "a word with a digest",
  "tool_server_sign_ins.state": "a digest",
  "tool_server_pins.server": "ServerName of the tool servers' configuration",
  "unattended.id": "an id of a schedule, a WebhookType, an address of mail with its mailbox, the name of a tool server",
  "unattended.kind": "a closed set",
  "user_hours.user_id": "UserId: 128 characters",
  "users.id": "UserId: 128 characters"
}

/** What keeps each indexed expression over a text short. */
const expressions: Readonly<Record<string, string>> = {
  outbox_due: "the first 200 characters of the recipient",
  users_by_email: "EmailAddress, and ChatUsers of a profile: 254 characters"
}

it.scopedLive("every indexed text has a bound, since no index may limit what is stored", () =>
  Effect.gen(function*() {
    const database = yield* freshDatabase
    const found = yield* query<{ readonly name: string }>(
      database,
      `select distinct c.relname || '.' || a.attname as name
from pg_index i
join pg_class c on c.oid = i.indrelid
join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey::smallint[]) and a.atttypid = 'text'::regtype
where c.relnamespace = 'public'::regnamespace and c.relname !~ '^cluster_'
order by 1`
    )
    // A list to compare, not to fill in: the reason of a new row is what limits the text at its source.
    assert.deepStrictEqual(found.map(({ name }) => name), Object.keys(bounds).sort())
    const computed = yield* query<{ readonly name: string }>(
      database,
      `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
where c.relnamespace = 'public'::regnamespace and c.relname !~ '^cluster_' and i.indexprs is not null
  and pg_get_expr(i.indexprs, i.indrelid) !~ '^COALESCE\\(done_at,'
order by 1`
    )
    assert.deepStrictEqual(computed.map(({ name }) => name), Object.keys(expressions).sort())
  }))
