import { assert, layer } from "@effect/vitest"
import { NotAllowed } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { MemberNotFound, OwnerNotChangeable } from "@troupe/domain/Team"
import { Effect, Option } from "effect"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { accounts } from "../support/ChatAccounts.ts"
import { eventually } from "../support/Eventually.ts"
import { boss, guest, identity, otherProcess, owner, query, seatAt, signIn, team, world } from "./team.ts"

const demoted = (email: string) => query("update team_members set role = 'member' where email = $1", [email])

layer(world(), { excludeTestServices: true })("The seat of a member", (it) => {
  it.scoped("has a role that an admin changes, except the owner's, and that counts at once", () =>
    Effect.gen(function*() {
      const { changeRole, invite } = yield* team(Option.some(9))
      const { id: by } = yield* boss
      yield* invite(guest("rises@example.org"), by)
      const rising = signIn("rises", "rises@example.org")
      const { id: userId, role } = yield* rising
      assert.strictEqual(role, "member")
      const { id } = yield* seatAt("rises@example.org")
      assert.deepInclude(yield* changeRole(id, "admin", by), { user_id: userId, role: "admin" })
      assert.strictEqual((yield* rising).role, "admin")
      yield* query(
        `insert into subscriptions (id, user_id, url, events, tasks, secret)
         values (gen_random_uuid(), $1, 'https://example.org/', '{task.failed}', 'all', '{"plain": "whsec_"}')`,
        [userId]
      )
      yield* changeRole(id, "member", userId)
      assert.strictEqual((yield* rising).role, "member")
      const subscriptions = yield* query("select tasks from subscriptions where user_id = $1", [userId])
      assert.deepStrictEqual(subscriptions, [{ tasks: "own" }])
      assert.instanceOf(yield* Effect.flip(changeRole(id, "admin", userId)), NotAllowed)
      assert.instanceOf(yield* Effect.flip(changeRole("x", "admin", by)), MemberNotFound)
      const chief = yield* seatAt(owner)
      assert.instanceOf(yield* Effect.flip(changeRole(chief.id, "member", by)), OwnerNotChangeable)
    }))

  it.scoped("that of a removed admin leaves a user who is none, and whose schedules are paused", () =>
    Effect.gen(function*() {
      const { invite, remove } = yield* team(Option.some(9))
      const { id: by } = yield* boss
      yield* invite({ ...guest("chief@example.org"), role: "admin" }, by)
      const chief = yield* signIn("chief", "chief@example.org")
      const role = Effect.flatMap(
        UserRepo,
        ({ find }) => Effect.map(find(chief.id), (user) => Option.getOrThrow(user).role)
      )
      assert.strictEqual(yield* role, "admin")
      yield* query(
        `insert into schedules (id, user_id, kind, message, cron, timezone, next_run_at)
values (gen_random_uuid(), $1, 'task', 'Report', '0 9 * * *', 'UTC', now())`,
        [chief.id]
      )
      yield* remove((yield* seatAt("chief@example.org")).id, by)
      const paused = yield* query(
        "select from schedules where user_id = $1 and status = 'paused' and next_run_at is null",
        [chief.id]
      )
      assert.lengthOf(paused, 1)
      assert.strictEqual(yield* role, "member")
    }))

  it.scoped("that of a removed or demoted member counts for no process any more, within less than it is remembered", () =>
    Effect.gen(function*() {
      const { invite, remove } = yield* team(Option.some(9))
      const { id: by } = yield* boss
      for (const name of ["gone", "less"]) yield* invite({ ...guest(`${name}@example.org`), role: "admin" }, by)
      const elsewhere = yield* identity(undefined, otherProcess)
      const roleOf = (name: string) =>
        Effect.match(elsewhere(name, `${name}@example.org`), {
          onFailure: ({ _tag }) => _tag,
          onSuccess: ({ role }) => role
        })
      assert.deepStrictEqual(yield* Effect.all([roleOf("gone"), roleOf("less")]), ["admin", "admin"])
      yield* remove((yield* seatAt("gone@example.org")).id, by)
      yield* eventually(roleOf("gone"), (role) => role === "NotAllowed", "5 seconds")
      yield* demoted("less@example.org")
      yield* eventually(roleOf("less"), (role) => role === "member", "5 seconds")
    }))

  it.scoped("is given and taken by nobody who is no admin any more, and no invitation of such a sender is accepted", () =>
    Effect.gen(function*() {
      const { info, invite, remove } = yield* team(Option.some(20))
      const { id: by } = yield* boss
      yield* invite({ ...guest("former@example.org"), role: "admin" }, by)
      const former = yield* signIn("former", "former@example.org")
      const { invitation } = yield* invite({ ...guest("friend@example.org"), role: "admin" }, former.id)
      yield* demoted("former@example.org")
      assert.instanceOf(yield* Effect.flip(invite(guest("other@example.org"), former.id)), NotAllowed)
      const { members } = yield* info
      assert.notInclude(members.map(({ email }) => email), "other@example.org")
      for (const { id, role } of members) {
        if (role !== "owner") assert.instanceOf(yield* Effect.flip(remove(id, former.id)), NotAllowed)
      }
      assert.deepStrictEqual((yield* info).members, members)
      assert.instanceOf(yield* Effect.flip(signIn("friend", "friend@example.org")), NotAllowed)
      const again = yield* invite({ email: "friend@example.org", name: "Friend", role: "member" }, by)
      assert.deepStrictEqual(again, {
        invitation: { ...invitation, name: "Friend", role: "member", invited_by: by },
        isNew: false
      })
      assert.strictEqual((yield* signIn("friend", "friend@example.org")).role, "member")
    }))

  it.scoped("that of a removed member who is invited again goes with the user of the same subject, unless erased", () =>
    Effect.gen(function*() {
      const { invite, remove } = yield* team(Option.some(20))
      const { id: by } = yield* boss
      const removeAddress = (address: string) => Effect.flatMap(seatAt(address), ({ id }) => remove(id, by))
      yield* invite(guest("mia@example.org"), by)
      const mia = yield* signIn("mia", "mia@example.org")
      yield* removeAddress("mia@example.org")
      yield* invite({ ...guest("married@example.org"), role: "admin" }, by)
      yield* invite(guest("mia@example.org"), by)
      assert.notStrictEqual((yield* signIn("another-mia", "mia@example.org")).id, mia.id)
      assert.deepStrictEqual(yield* signIn("mia", "married@example.org"), { ...mia, role: "admin" })
      const { find, remove: erase } = yield* UserRepo
      assert.strictEqual(Option.getOrThrow(yield* find(mia.id)).role, "admin")
      yield* removeAddress("married@example.org")
      yield* erase(mia.id)
      yield* invite(guest("married@example.org"), by)
      assert.notStrictEqual((yield* signIn("mia", "married@example.org")).id, mia.id)
    }))

  it.scoped("that of a person whom the chat platform lists goes with the user of the sync, unless the address was entered", () =>
    Effect.gen(function*() {
      const { invite } = yield* team(Option.some(100))
      const { id: by } = yield* boss
      yield* query(
        `insert into users (id, name, email, overrides) values
('listed', 'Lise', 'Lise@Example.org', '{}'), ('entered', 'Eve', 'entered@example.org', '{email}')`
      )
      yield* query(accounts({ listed: "ULISE", entered: "UEVE" }))
      for (const name of ["lise", "entered"]) yield* invite(guest(`${name}@example.org`), by)
      assert.strictEqual((yield* signIn("lise", "lise@example.org")).id, "listed")
      assert.notStrictEqual((yield* signIn("evelyn", "entered@example.org")).id, "entered")
      const { find } = yield* UserRepo
      assert.deepInclude(Option.getOrThrow(yield* find(UserId.make("listed"))), { name: "Lise", chat_user_id: "ULISE" })
    }))

  it.scoped("that of a member whose data is deleted stays, with its address alone", () =>
    Effect.gen(function*() {
      const { invite } = yield* team(Option.some(100))
      const { id: by } = yield* boss
      yield* invite({ email: "eve@example.org", name: "Eve", role: "member" }, by)
      const { id } = yield* signIn("eve", "eve@example.org")
      yield* (yield* UserRepo).remove(id)
      assert.deepInclude(yield* seatAt("eve@example.org"), { name: null, status: "active", user_id: id })
    }))
})
