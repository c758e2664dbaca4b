import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { Users } from "../../src/People/User/Users.ts"
import { account, accounts, userWith } from "../support/ChatAccounts.ts"
import { Platform, query } from "./chat.ts"
import { bound, given, givenAda, inWorld, later, rows, syncAll } from "./joinedUsers.ts"

describe("Two users of one person", () => {
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
})
