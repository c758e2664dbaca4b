import { UserId } from "@troupe/domain/Ids"
import { Effect, type Layer } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { ChannelSync } from "../../src/People/Channel/ChannelSync.ts"
import { TeamRepo } from "../../src/People/Team/TeamRepo.ts"
import { Users } from "../../src/People/User/Users.ts"
import { userWith } from "../support/ChatAccounts.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { insertRows } from "../support/UserRows.ts"
import { chatWorld, Platform, query } from "./chat.ts"

type World = Layer.Layer.Success<ReturnType<typeof chatWorld>> | Sandbox | TeamRepo

export const inWorld = <A, E, R>(test: Effect.Effect<A, E, R | World>, trustsProfiles = true) =>
  test.pipe(
    Effect.provide(TeamRepo.layer),
    Effect.provideServiceEffect(
      Sandbox,
      Effect.flatMap(freshFolder, (root) => Effect.provide(Sandbox, Sandbox.layer({ root })))
    ),
    Effect.provide(chatWorld({ trustsProfiles }))
  )

export const syncAll = Effect.flatMap(ChannelSync, (sync) => sync.syncAll)

/** Every column that names a user, with what the join does to it. */
export const columns: Readonly<Record<string, "moved" | "kept" | "excluded">> = {
  "actors.creator": "moved",
  "approvals.decided_by": "moved",
  "bulk_operations.creator": "moved",
  "channel_members.user_id": "moved",
  "channel_messages.user_id": "moved",
  "chat_accounts.user_id": "moved",
  // Neither user is joined while their data is being deleted.
  "erasures.user_id": "excluded",
  "file_reservations.user_id": "moved",
  // A user who has or had a seat is nobody's double.
  "former_members.user_id": "excluded",
  "access_tokens.user_id": "moved",
  "grants.granted_by": "moved",
  "grants.person": "moved",
  "idempotency_keys.caller": "moved",
  "inbound_messages.creator": "moved",
  // The platform's id of the sender.
  "inbound_messages.sender": "kept",
  "joined_users.id": "kept",
  "joined_users.user_id": "moved",
  "memories.user_id": "moved",
  // The emptied row stays for an hour, so that a save that is behind notices.
  "memory_owners.user_id": "kept",
  "notifications.user_id": "moved",
  "outbox.user_id": "moved",
  "schedules.user_id": "moved",
  "setting_changes.changed_by": "moved",
  "spending.user_id": "moved",
  "subscriptions.user_id": "moved",
  "tasks.assignee": "moved",
  "tasks.creator": "moved",
  "team_members.invited_by": "moved",
  "team_members.user_id": "excluded",
  // Deleted: tokens are sealed for the person who has signed in.
  "tool_server_authorizations.connected_by": "excluded",
  "tool_server_authorizations.user_id": "excluded",
  "tool_server_sign_ins.begun_by": "excluded",
  "tool_server_sign_ins.user_id": "excluded",
  "user_hours.user_id": "moved"
}

/** Rows with which the join has more to do than to rename their user. */
export const rows: Readonly<Record<string, string>> = {
  access_tokens: `with seat as (
      insert into team_members (id, email, role) values (gen_random_uuid(), 'token@example.org', 'member') returning id
    )
    insert into access_tokens (id, digest, member_id, issuer, subject, user_id, name, prefix, role)
    select gen_random_uuid(), 'd', id, 'i', 's', $1, 'Reports', 'trp_abcdef', 'member' from seat`,
  actors: `insert into actors (task_id, shard, creator, updated_at, status, runner, epoch, wake_at)
    select id, 1, creator, now(), 'running', 'somewhere', 4, now() - interval '1 hour' from tasks where creator = $1`,
  approvals:
    `insert into approvals (id, task_id, tool_call_id, tool, class, arguments, files, parameters, preset, binding, who,
      status, decided_by, created_at)
    values (gen_random_uuid(), gen_random_uuid(), 'c1', 'pay', 'outside', '{}', '[]', '{}', 'balanced', '', array[$1], 'approved',
      $1, now())`,
  channel_members: `insert into channel_members (channel_id, user_id, role) select channel_id, $1, 'Lead' from channels
    on conflict (channel_id, user_id) do update set role = 'Lead'`,
  grants: `insert into grants (id, tool, binding, scope, person, "values", granted_by)
    values (gen_random_uuid(), 'pay', '', 'agent', $1, '{}', $1)`,
  idempotency_keys: `insert into idempotency_keys (caller, key, digest, task_id)
    select caller, key, 'd', gen_random_uuid() from (values ($1, 'one'), ($1, 'two'), ('later', 'two')) v (caller, key)`,
  inbound_messages: `insert into inbound_messages (id, source, type, headers, url, creator)
    values (gen_random_uuid(), 'webhook', 'w', '{}', '', $1)`,
  memories: `insert into memories (id, user_id, content, model, dimensions, vector, version, created_at, updated_at)
    select gen_random_uuid(), u, 'Likes tea', 'm', 1, '{1}', 1, now(), now() from unnest(array[$1, $1, 'later']) u`,
  memory_owners: "insert into memory_owners (user_id, version, memories) values ($1, 3, 2), ('later', 7, 1)",
  setting_changes: `insert into setting_changes (id, name, is_set, changed_by)
    values (gen_random_uuid(), 'SMTP_HOST', true, $1)`,
  tasks: `insert into tasks (id, created_at, creator, assignee, description, task_type)
    values (gen_random_uuid(), now(), $1, $1, 'Report', 'task')`,
  team_members: `insert into team_members (id, email, role, invited_by)
    values (gen_random_uuid(), 'guest@example.org', 'member', $1)`
}

/** Ada as the platform has her, with something in every table, and the id of her user. */
export const givenAda = Effect.gen(function*() {
  const { state } = yield* Platform
  state.user("ADA", { real_name: "Ada", profile: { email: "Ada@Example.org" } })
  state.channel("GENERAL", { members: ["UTROUPE", "UADA"] })
  yield* syncAll
  const [ada] = yield* query<{ id: string }>(
    `update users set notify_by = '{chat}' where id = ${userWith("UADA")} returning id`
  )
  const id = UserId.make(ada?.id ?? "")
  const tables = ["tasks", ...Object.keys(rows).filter((table) => table !== "tasks")]
  for (const table of tables) yield* query(rows[table] ?? "", [id])
  yield* insertRows(query, id, Object.keys(rows))
  const sandbox = yield* Sandbox
  yield* sandbox.write(id, "notes/plan.md", "of the chat")
  yield* sandbox.write(later, "notes/plan.md", "of the sign-in")
  yield* sandbox.write(id, "only.txt", "here")
  return id
})

export const later = UserId.make("later")

export const given = (columns: string, values: string) => query(`insert into users (${columns}) values (${values})`)

export const bound = (userId = later, email = "ada@example.org") =>
  Effect.flatMap(TeamRepo, ({ bind }) => bind({ issuer: "https://id", subject: "ada", email, userId, name: null }))

/** How somebody gets the address of a person whom a sync saw first. */
export const ways: ReadonlyArray<readonly [string, boolean, Effect.Effect<unknown, unknown, World>]> = [
  [
    "at the change of an address",
    true,
    Effect.zipRight(
      given("id", "'later'"),
      Effect.flatMap(Users, ({ change }) => change(later, { email: "aDA@example.ORG" }, true))
    )
  ],
  [
    "at the next sync, self-hosted",
    true,
    Effect.zipRight(given("id, email, overrides", "'later', 'ADA@example.org', '{email}'"), syncAll)
  ],
  [
    "at the next sync, hosted",
    false,
    given("id, email", "'later', 'ada@example.org'").pipe(
      Effect.zipRight(query(`insert into team_members (id, email, role, user_id, issuer, subject, joined_at)
        values (gen_random_uuid(), 'ada@example.org', 'member', 'later', 'https://id', 'ada', now())`)),
      Effect.zipRight(syncAll)
    )
  ],
  [
    "at the sign-in of a member who had another user before",
    false,
    given("id, email", "'later', 'ada@example.org'").pipe(
      Effect.zipRight(
        query("insert into former_members (issuer, subject, user_id) values ('https://id', 'ada', 'later')")
      ),
      Effect.zipRight(
        query("insert into team_members (id, email, role) values (gen_random_uuid(), 'ada@example.org', 'admin')")
      ),
      Effect.zipRight(bound())
    )
  ]
]
