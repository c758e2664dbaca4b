import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { signInCallOf } from "@troupe/domain/SignInWait"
import { Effect, type Layer, Option } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { ChannelSync } from "../../src/People/Channel/ChannelSync.ts"
import { TeamRepo } from "../../src/People/Team/TeamRepo.ts"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { Users } from "../../src/People/User/Users.ts"
import { makeMoveJoined } from "../../src/Task/Command/JoinedUsersLayer.ts"
import { account, accounts, userWith } from "../support/ChatAccounts.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { insertRows } from "../support/UserRows.ts"
import { chatWorld, Platform, query } from "./chat.ts"

type World = Layer.Layer.Success<ReturnType<typeof chatWorld>> | Sandbox | TeamRepo

const inWorld = <A, E, R>(test: Effect.Effect<A, E, R | World>, trustsProfiles = true) =>
  test.pipe(
    Effect.provide(TeamRepo.layer),
    Effect.provideServiceEffect(
      Sandbox,
      Effect.flatMap(freshFolder, (root) => Effect.provide(Sandbox, Sandbox.layer({ root })))
    ),
    Effect.provide(chatWorld({ trustsProfiles }))
  )

const syncAll = Effect.flatMap(ChannelSync, (sync) => sync.syncAll)

/** Every column that names a user, with what the join does to it. */
const columns: Readonly<Record<string, "moved" | "kept" | "excluded">> = {
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
const rows: Readonly<Record<string, string>> = {
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
const givenAda = Effect.gen(function*() {
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

const later = UserId.make("later")

const given = (columns: string, values: string) => query(`insert into users (${columns}) values (${values})`)

const bound = (userId = later, email = "ada@example.org") =>
  Effect.flatMap(TeamRepo, ({ bind }) => bind({ issuer: "https://id", subject: "ada", email, userId, name: null }))

/** How somebody gets the address of a person whom a sync saw first. */
const ways: ReadonlyArray<readonly [string, boolean, Effect.Effect<unknown, unknown, World>]> = [
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

const columnsWith = (id: string) =>
  Effect.gen(function*() {
    const found: Array<string> = []
    for (const column of Object.keys(columns)) {
      const [table = "", name = ""] = column.split(".")
      if ((yield* query(`select from ${table} where ${name} = $1`, [id])).length > 0) found.push(column)
    }
    return found
  })

const moved = Object.keys(columns).filter((column) => columns[column] === "moved")

describe("Two users of one person", () => {
  it.scopedLive("are joined in every column that names a user", () =>
    inWorld(Effect.gen(function*() {
      const named = yield* query<{ name: string }>(`select table_name || '.' || column_name as name
from information_schema.columns where table_schema = current_schema() and data_type = 'text'
  and table_name not like 'cluster%'
  and (column_name ~ '^(user_id|creator|assignee|caller|sender|owner|member|person)$' or column_name like '%user'
    or column_name like '%\\_by' or table_name = 'joined_users')
order by 1`)
      // Not ids of users: a runner, and channels.
      const others = ["actors.ended_by", "actors.queued_by", "users.notify_by", "rate_limits.caller"]
      assert.deepStrictEqual(
        named.map(({ name }) => name).filter((name) => !others.includes(name)),
        Object.keys(columns).toSorted()
      )
    })))

  for (const [when, trustsProfiles, join] of ways) {
    it.scopedLive(`become one with all that both had, ${when}`, () =>
      inWorld(
        Effect.gen(function*() {
          const former = yield* givenAda
          yield* query(`update users set addresses = '{"pager": "7"}' where id = $1`, [former])
          assert.includeMembers(yield* columnsWith(former), moved.filter((column) => column !== "joined_users.user_id"))
          yield* join
          const left = ["joined_users.id", "memory_owners.user_id"]
          assert.deepStrictEqual(yield* columnsWith(former), left)
          assert.includeMembers(yield* columnsWith(later), moved)
          assert.deepStrictEqual(
            yield* query(
              `select id, ${account} as account, notify_by, addresses from users where lower(email) = 'ada@example.org'`
            ),
            [{ id: "later", account: "UADA", notify_by: ["chat"], addresses: { pager: "7" } }]
          )
          assert.deepStrictEqual(
            yield* query("select user_id, version, memories from memory_owners order by user_id = 'later'"),
            [{ user_id: former, version: 4, memories: 0 }, { user_id: "later", version: 8, memories: 3 }]
          )
          assert.deepStrictEqual(yield* query("select key from idempotency_keys order by key"), [{ key: "one" }, {
            key: "two"
          }])
          assert.deepStrictEqual(
            yield* query("select epoch, runner, wake_at > now() - interval '1 minute' as is_due from actors"),
            [{ epoch: 5, runner: null, is_due: true }],
            "its run is fenced, and the task is claimed anew"
          )

          // What a process that has not heard of it writes later, and the files.
          yield* given("id", `'${former}'`)
          yield* query(rows["tasks"] ?? "", [former])
          const sandbox = yield* Sandbox
          const move = yield* makeMoveJoined
          for (let again = 0; again < 2; again++) {
            yield* move
            assert.deepStrictEqual(yield* columnsWith(former), left)
            assert.lengthOf(yield* query("select from tasks where creator = 'later'"), 2)
            assert.lengthOf(yield* query("select from users where id = $1", [former]), 0)
            const files = yield* sandbox.files(later, { after: "", limit: 10 })
            assert.deepStrictEqual(files.map(({ path }) => path), ["notes/plan (2).md", "notes/plan.md", "only.txt"])
            assert.strictEqual((yield* sandbox.read(later, "notes/plan (2).md")).text, "of the chat")
            assert.deepStrictEqual(yield* sandbox.files(former, { after: "", limit: 10 }), [])
          }
          yield* query("update joined_users set joined_at = now() - interval '2 hours'")
          yield* move
          assert.deepStrictEqual(yield* columnsWith(former), [])
        }),
        trustsProfiles
      ))
  }

  it.scopedLive("stay two while the data of one is being deleted, and where an address was entered", () =>
    inWorld(Effect.gen(function*() {
      const former = yield* givenAda
      yield* given("id, email, overrides", "'later', 'ada@example.org', '{email}'")
      yield* query("insert into erasures (user_id) values ($1)", [former])
      yield* syncAll
      assert.lengthOf(yield* query("select from users where id in ('later', $1)", [former]), 2)
      yield* query("delete from erasures")
      yield* query("update users set overrides = '{email}' where id = $1", [former])
      yield* syncAll
      assert.lengthOf(yield* query("select from users where id in ('later', $1)", [former]), 2)
      assert.deepStrictEqual(yield* query("select from joined_users"), [])
    })))

  it.scopedLive("are not made by an address that another user has: the change is refused, and names who", () =>
    inWorld(Effect.gen(function*() {
      const users = yield* Users
      yield* given("id, email", "'ada@example.org', 'ada@example.org'")
      yield* given("id, name, email, overrides", "'bea', 'Bea', 'bea@example.org', '{email}'")
      yield* given("id", "'later'")
      for (
        const [email, holder] of [["ADA@example.org", "ada@example.org"], ["bea@Example.org", "Bea (bea)"]] as const
      ) {
        const refused = yield* Effect.flip(users.change(later, { email, title: "Pilot" }))
        assert.strictEqual(
          refused.message,
          `${email} is the address of ${holder}. If that is the same person, send join: true to make them one user.`
        )
      }
      assert.deepStrictEqual(yield* query("select email, title from users where id = 'later'"), [{
        email: null,
        title: null
      }])
      assert.strictEqual(
        (yield* users.change(UserId.make("bea"), { email: "BEA@example.org" })).email,
        "BEA@example.org"
      )
      yield* query(rows["tasks"] ?? "", ["bea"])
      assert.strictEqual((yield* users.change(later, { email: "bea@example.org" }, true)).email, "bea@example.org")
      assert.deepStrictEqual(yield* query("select creator from tasks"), [{ creator: "later" }])
      assert.deepStrictEqual(yield* query("select id from users where lower(email) = 'bea@example.org'"), [{
        id: "later"
      }])
    })))

  it.scopedLive("wait for the sign-in of the one who remains at a tool server, where a task waits for that of the other", () =>
    inWorld(Effect.gen(function*() {
      const users = yield* Users
      yield* given("id, email", "'ada@x', 'ada@example.org'")
      yield* given("id", "'later'")
      const waits = ["ada@x", "bea", null].map((user) =>
        signInCallOf({ server: "my tools", user: user === null ? null : UserId.make(user) })
      )
      for (const call of waits) {
        yield* query(rows["tasks"] ?? "", ["ada@x"])
        yield* query(
          `insert into actors (task_id, shard, creator, updated_at, status, last_tool_call_id)
          select id, 1, creator, now(), 'waiting_input', $1 from tasks where id not in (select task_id from actors)`,
          [call]
        )
      }
      yield* users.change(later, { email: "ada@example.org" }, true)
      const after = yield* query<{ call: string }>(
        "select last_tool_call_id as call from actors where creator = 'later'"
      )
      assert.sameMembers(after.map(({ call }) => call), [
        signInCallOf({ server: "my tools", user: later }),
        ...waits.slice(1)
      ])
    })))

  it.scopedLive("become one with the accounts of both where these are of different platforms", () =>
    inWorld(Effect.gen(function*() {
      const users = yield* Users
      yield* given("id, email", "'ada', 'ada@example.org'")
      yield* given("id", "'later'")
      yield* query(accounts({ later: "ULATER" }))
      yield* query("insert into chat_accounts (platform, account, user_id) values ('other', '42', 'ada')")
      yield* users.change(later, { email: "ada@example.org" }, true)
      assert.deepStrictEqual(
        yield* query("select platform, account, user_id from chat_accounts order by platform"),
        [
          { platform: "other", account: "42", user_id: "later" },
          { platform: "slack", account: "ULATER", user_id: "later" }
        ]
      )
    })))

  it.scopedLive("stay two where each has a chat account, or one has a seat, although somebody asked", () =>
    inWorld(Effect.gen(function*() {
      const users = yield* Users
      yield* given("id, email", "'ada', 'ada@example.org'")
      yield* given("id", "'later'")
      yield* query(accounts({ ada: "UADA", later: "ULATER" }))
      yield* given("id, email", "'member', 'old@example.org'")
      yield* query(`insert into team_members (id, email, role, user_id, issuer, subject, joined_at)
        values (gen_random_uuid(), 'member@example.org', 'member', 'member', 'https://id', 'ada', now())`)
      const ways = [["ada@example.org", "each has an account of the team chat"], [
        "member@example.org",
        "a member of the team"
      ]] as const
      for (const [email, reason] of ways) {
        assert.include((yield* Effect.flip(users.change(later, { email }, true))).message, reason)
      }
    })))

  it.scopedLive("are never a guest and somebody else, whoever's address the guest's profile has", () =>
    Effect.forEach([true, false], (trustsProfiles) =>
      inWorld(
        Effect.gen(function*() {
          const users = yield* Users
          const { state } = yield* Platform
          yield* given("id, email, overrides", "'entered', 'entered@example.org', '{email}'")
          yield* given("id, email", "'mail@example.org', 'mail@example.org'")
          yield* given("id, email", "'member', 'member@example.org'")
          yield* query(`insert into team_members (id, email, role, user_id, issuer, subject, joined_at)
            values (gen_random_uuid(), 'member@example.org', 'owner', 'member', 'https://id', 'member', now())`)
          yield* query(
            "insert into team_members (id, email, role) values (gen_random_uuid(), 'ada@example.org', 'admin')"
          )
          const guests = {
            GUEST: { is_restricted: true },
            SINGLE: { is_ultra_restricted: true },
            FAR: { team_id: "T9" },
            ORG: { team_id: "T9", enterprise_user: { enterprise_id: "E9", teams: ["T9"] } }
          }
          const taken = ["entered", "mail", "member", "ada"].map((name) => `${name}@example.org`)
          for (const email of taken) {
            for (const [id, account] of Object.entries(guests)) {
              state.user(`${id}${email.slice(0, 3).toUpperCase()}`, { ...account, profile: { email } })
            }
          }
          yield* syncAll
          yield* syncAll
          const known = ["entered", "mail@example.org", "member"]
          assert.deepStrictEqual(
            yield* query(`select id, ${account} as account from users where id = any($1) order by id`, [known]),
            known.map((id) => ({ id, account: null }))
          )
          const ofGuests = taken.length * Object.keys(guests).length
          assert.lengthOf(yield* query("select from users where is_guest"), ofGuests)
          // The person whose address it is signs in, has it entered, or writes a mail.
          assert.strictEqual(Option.getOrThrow(yield* bound()).id, later)
          yield* given("id", "'new'")
          yield* Effect.flip(users.change(UserId.make("new"), { email: "entered@example.org" }))
          assert.deepStrictEqual(yield* query("select from joined_users"), [])
          assert.lengthOf(yield* query("select from users where is_guest"), ofGuests)
          const repo = yield* UserRepo
          const holders = yield* Effect.forEach(taken, (email) => repo.findByEmail(email))
          assert.deepStrictEqual(holders.map((one) => `${Option.getOrNull(one)?.id}`), [...known, "later"])
        }),
        trustsProfiles
      )))

  it.scopedLive("are never one by an address that nobody has confirmed", () =>
    Effect.forEach([true, false], (trustsProfiles) =>
      inWorld(
        Effect.gen(function*() {
          const { state } = yield* Platform
          yield* given("id, email", "'member', 'ada@example.org'")
          yield* query(`insert into team_members (id, email, role, user_id, issuer, subject, joined_at)
            values (gen_random_uuid(), 'ada@example.org', 'owner', 'member', 'https://id', 'ada', now())`)
          const profile = { email: "ada@example.org" }
          state.user("EVE", { is_email_confirmed: false, profile })
          yield* syncAll
          const found = query(`select id, email from users where id = ${userWith("UEVE")} and id <> 'member'`)
          assert.lengthOf(yield* found, 1)
          state.user("EVE", { is_email_confirmed: true, profile })
          yield* syncAll
          assert.lengthOf(yield* found, 0)
        }),
        trustsProfiles
      )))

  it.scopedLive("become one at the sign-in also where mails have made a user", () =>
    inWorld(
      Effect.gen(function*() {
        yield* given("id, email", "'ada@example.org', 'Ada@example.org'")
        yield* query(
          "insert into team_members (id, email, role) values (gen_random_uuid(), 'ada@example.org', 'admin')"
        )
        yield* query(rows["tasks"] ?? "", ["ada@example.org"])
        yield* bound()
        assert.deepStrictEqual(yield* query("select creator from tasks"), [{ creator: "later" }])
      }),
      false
    ))

  it.scopedLive("are one also when syncs and sign-ins happen at the same time", () =>
    inWorld(
      Effect.gen(function*() {
        const { state } = yield* Platform
        for (let round = 0; round < 5; round++) {
          const email = `Person${round}@Example.org`
          state.user(`P${round}`, { profile: { email } })
          yield* query("insert into team_members (id, email, role) values (gen_random_uuid(), $1, 'member')", [
            email.toLowerCase()
          ])
          const signIn = Effect.flatMap(TeamRepo, ({ bind, findSubject }) => {
            const subject = { issuer: "https://id", subject: `p${round}` }
            return Effect.flatMap(
              bind({ ...subject, email: email.toLowerCase(), userId: UserId.make(`p${round}`), name: null }),
              (seat) => Option.isSome(seat) ? Effect.succeed(seat) : findSubject(subject)
            )
          })
          const [one, other] = yield* Effect.all([
            signIn,
            signIn,
            syncAll,
            Effect.flatMap(makeMoveJoined, (move) => move)
          ], {
            concurrency: "unbounded"
          })
          yield* syncAll
          const people = yield* query<{ id: string; account: string }>(
            `select id, ${account} as account from users where lower(email) = lower($1)`,
            [email]
          )
          assert.deepStrictEqual(people, [{ id: Option.getOrThrow(one).id, account: `UP${round}` }])
          assert.deepStrictEqual(other, one)
        }
      }),
      false
    ))
})
