import { assert, layer } from "@effect/vitest"
import { NotAllowed } from "@troupe/domain/Caller"
import { AlreadyMember, MemberNotFound, OwnerNotChangeable, SeatsTaken } from "@troupe/domain/Team"
import { Effect, Layer, Option } from "effect"
import { layerOwner } from "../../src/People/Team/Team.ts"
import { TeamRepo } from "../../src/People/Team/TeamRepo.ts"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { boss, guest, identity, owner, publicUrl, query, seatAt, signIn, team, world } from "./team.ts"

layer(world(), { excludeTestServices: true })("A team", (it) => {
  it.scoped("has its owner from the start, and members who were invited", () =>
    Effect.gen(function*() {
      const { info, invite } = yield* team()
      const { members, ...seats } = yield* info
      assert.deepStrictEqual(seats, { tier: "free", max_users: 3, user_count: 1, seats_remaining: 2 })
      assert.lengthOf(members, 1)
      assert.deepInclude(members[0], { user_id: null, email: owner, name: null, role: "owner", status: "pending" })
      const signIn = yield* identity()
      const boss = yield* signIn("boss", "Owner@Example.ORG")
      assert.strictEqual(boss.role, "owner")
      assert.instanceOf(yield* Effect.flip(signIn("bea", "bea@example.org")), NotAllowed)
      const { invitation, isNew } = yield* invite({ email: "bea@example.org", name: "Bea", role: "admin" }, boss.id)
      assert.isTrue(isNew)
      assert.deepInclude(invitation, { email: "bea@example.org", name: "Bea", role: "admin", status: "pending" })
      assert.strictEqual(invitation.invited_by, boss.id)
      const again = yield* invite({ email: "bea@example.org", name: "Other", role: "member" }, boss.id)
      assert.deepStrictEqual(again, { invitation, isNew: false })
      const [mail, ...others] = yield* query<{ recipient: string; kind: string; payload: string }>(
        "select recipient, kind, payload from outbox"
      )
      assert.deepStrictEqual(others, [])
      assert.deepInclude(mail, { recipient: "bea@example.org", kind: "invitation" })
      assert.include(mail?.payload, "\"to\":[{\"name\":\"Bea\",\"address\":\"bea@example.org\"}]")
      const { body, subject } = JSON.parse(mail?.payload ?? "")
      assert.strictEqual(subject, "Name of boss (owner@example.org) invites you to a team on Troupe")
      assert.include(body, "Name of boss (owner@example.org) invites you to their team")
      assert.include(body, `<${publicUrl.href}invitation/${invitation.id}>`)
      const bea = yield* signIn("bea", "bea@example.org")
      assert.strictEqual(bea.role, "admin")
      const users = yield* UserRepo
      assert.deepInclude(Option.getOrThrow(yield* users.find(bea.id)), {
        name: "Bea",
        email: "bea@example.org",
        role: "admin",
        is_system: false
      })
      assert.instanceOf(yield* Effect.flip(invite(guest("bea@example.org"), boss.id)), AlreadyMember)
      assert.deepStrictEqual((yield* info).members.map(({ email, status }) => [email, status]), [
        ["bea@example.org", "active"],
        [owner, "active"]
      ])
    }))

  it.scoped("gives a seat by the address once, and to the same subject from then on", () =>
    Effect.gen(function*() {
      const signIn = yield* identity()
      const bea = yield* signIn("bea", "bea@example.org")
      const elsewhere = yield* identity()
      assert.deepStrictEqual(yield* elsewhere("bea", "married@example.org"), bea)
      for (const [subject, email] of [["impostor", "bea@example.org"], ["other", "\u212Bea@example.org"]] as const) {
        assert.instanceOf(yield* Effect.flip(elsewhere(subject, email)), NotAllowed)
      }
      const moved = yield* identity("https://new.example.org")
      assert.instanceOf(yield* Effect.flip(moved("bea", "married@example.org")), NotAllowed)
      assert.deepStrictEqual(yield* moved("beatrix", "bea@example.org"), bea)
    }))
})

layer(world(), { excludeTestServices: true })("Of its seats", (it) => {
  it.scoped("an open invitation takes one, the last goes to one of many, and MAX_USERS is more than the tier", () =>
    Effect.gen(function*() {
      const { id: by } = yield* boss
      const { info, invite } = yield* team()
      const results = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, index) => `guest${index}@example.org`),
        (email) => Effect.either(invite(guest(email), by)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Right").length, 2)
      assert.strictEqual((yield* info).seats_remaining, 0)
      assert.instanceOf(yield* Effect.flip(invite(guest("late@example.org"), by)), SeatsTaken)
      const { invite: inviteMore } = yield* team(Option.some(4))
      yield* inviteMore(guest("late@example.org"), by)
      assert.deepInclude(yield* info, { user_count: 4, seats_remaining: 0 })
    }))

  it.scoped("a first sign-in at many processes at once makes one user", () =>
    Effect.gen(function*() {
      const processes = yield* Effect.replicateEffect(identity(), 6)
      const callers = yield* Effect.forEach(processes, (signIn) => signIn("late", "late@example.org"), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(callers.map(({ id }) => id)).size, 1)
    }))

  it.scoped("that of a removed member is free, opens nothing any more, and has the same user after another invitation", () =>
    Effect.gen(function*() {
      const { invite, remove } = yield* team(Option.some(4))
      const { id: by } = yield* boss
      const late = yield* seatAt("late@example.org")
      yield* remove(late.id, by)
      assert.instanceOf(yield* Effect.flip(remove(late.id, by)), MemberNotFound)
      assert.instanceOf(yield* Effect.flip(remove("x", by)), MemberNotFound)
      const repo = yield* TeamRepo
      const beforeRemoval = { ...repo, find: () => Effect.succeedSome(late) }
      const { changeRole } = yield* Effect.provideService(team(), TeamRepo, beforeRemoval)
      assert.instanceOf(yield* Effect.flip(changeRole(late.id, "admin", by)), MemberNotFound)
      assert.instanceOf(yield* Effect.flip(signIn("late", "late@example.org")), NotAllowed)
      assert.instanceOf(yield* Effect.flip(remove((yield* seatAt(owner)).id, by)), OwnerNotChangeable)
      yield* invite(guest("late@example.org"), by)
      assert.strictEqual((yield* signIn("late", "late@example.org")).id, late.user_id)
    }))

  it.scoped("the owner's goes to a new owner with the setting, and the earlier one stays as admin", () =>
    Effect.gen(function*() {
      const [before, successor] = [yield* boss, yield* signIn("late", "late@example.org")]
      yield* Effect.scoped(Layer.build(Layer.fresh(layerOwner("late@example.org"))))
      assert.deepStrictEqual(yield* signIn("late", "late@example.org"), { ...successor, role: "owner" })
      assert.deepStrictEqual(yield* signIn("boss", owner), { ...before, role: "admin" })
      const users = yield* UserRepo
      assert.strictEqual(Option.getOrThrow(yield* users.find(before.id)).role, "admin")
    }))
})
