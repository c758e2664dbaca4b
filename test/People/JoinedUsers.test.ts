import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { signInCallOf } from "@troupe/domain/SignInWait"
import { Effect, Option } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { TeamRepo } from "../../src/People/Team/TeamRepo.ts"
import { Users } from "../../src/People/User/Users.ts"
import { makeMoveJoined } from "../../src/Task/Command/JoinedUsersLayer.ts"
import { account, accounts } from "../support/ChatAccounts.ts"
import { Platform, query } from "./chat.ts"
import { bound, columns, given, givenAda, inWorld, later, rows, syncAll, ways } from "./joinedUsers.ts"

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

  const cleared = `'{"pager": null, "sms": "1"}', '{}', '{pager,notify_by}'`
  const untouched = `'{"pager": "7", "sms": "2"}', '{ui}', '{}'`
  for (
    const [whose, ofFormer, ofLater, sms] of [
      ["the one who remains", untouched, cleared, "1"],
      ["the other", cleared, untouched, "2"]
    ] as const
  ) {
    it.scopedLive(`become one without the address at a gateway and the ways that a person cleared of ${whose}`, () =>
      inWorld(
        Effect.gen(function*() {
          const columns = "id, email, addresses, notify_by, overrides"
          yield* given(columns, `'ada@example.org', 'ada@example.org', ${ofFormer}`)
          yield* given(columns, `'later', null, ${ofLater}`)
          yield* query(
            "insert into team_members (id, email, role) values (gen_random_uuid(), 'ada@example.org', 'admin')"
          )
          yield* bound()
          assert.deepStrictEqual(
            yield* query("select id, addresses, notify_by, overrides from users where email = 'ada@example.org'"),
            [{ id: "later", addresses: { pager: null, sms }, notify_by: [], overrides: ["notify_by", "pager"] }]
          )
        }),
        false
      ))
  }

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
