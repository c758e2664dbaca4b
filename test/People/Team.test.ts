import { assert, layer } from "@effect/vitest"
import { NotAllowed, Unauthenticated } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { AlreadyMember, MemberNotFound, OwnerNotChangeable, SeatsTaken } from "@troupe/domain/Team"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import * as InvitationMailsLayer from "../../src/Delivery/InvitationMailsLayer.ts"
import { Outbox } from "../../src/Delivery/Outbox.ts"
import { Identity } from "../../src/People/Identity.ts"
import { Sessions } from "../../src/People/Sessions.ts"
import { layerOwner, MemberTasks, Team } from "../../src/People/Team.ts"
import { TeamRepo } from "../../src/People/TeamRepo.ts"
import { UserRepo } from "../../src/People/UserRepo.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { IdTokens } from "../../src/Wire/IdTokens.ts"
import { Mail } from "../../src/Wire/Mail.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"

const owner = "owner@example.org"
const publicUrl = new URL("https://troupe.example.org/")
const guest = (email: string) => ({ email, name: null, role: "member" as const })

/** A database of its own, with the repositories over it. */
const world = () =>
  Layer.mergeAll(TeamRepo.layer, UserRepo.layer, Outbox.layer, Signals.layerLocal).pipe(
    Layer.provide([PreparedStatements.layer({ maxConnections: 2 }), Layer.orDie(Sql.layer({ maxConnections: 4 }))]),
    Layer.provideMerge(Database.layer)
  )

/** Set up to send, so that mails are written. */
const mail = Layer.effect(
  Mail,
  Effect.map(Mail, (mail) => ({ ...mail, sender: Option.some({ name: "", address: "troupe@example.org" }) }))
).pipe(Layer.provide(Mail.layerUnconfigured))

const team = (maxUsers: Option.Option<number> = Option.none(), sender = mail) =>
  Effect.map(
    Layer.build(
      Team.layer({ tier: "free", maxUsers }).pipe(
        Layer.provide([InvitationMailsLayer.layer(publicUrl), MemberTasks.layerNone]),
        Layer.provide(sender)
      )
    ),
    Context.get(Team)
  )

const mails = Effect.flatMap(DatabaseUrl, (url) =>
  Database.query<{ recipient: string; kind: string; payload: string }>(
    url,
    "select recipient, kind, payload from outbox order by id"
  ))

/** Tokens whose text is their content, `subject email`: what is checked of real ones is the test of `IdTokens`. */
const tokens = Layer.succeed(IdTokens, {
  verify: (token: Redacted.Redacted) =>
    Effect.suspend(() => {
      const [subject = "", email = ""] = Redacted.value(token).split("|")
      return email === ""
        ? new Unauthenticated({ reason: "no" })
        : Effect.succeed({ subject, email, name: Option.some(`Name of ${subject}`) })
    })
})

type SignalsLayer = Layer.Layer<Signals, never, DatabaseUrl | Signals>

const sameProcess: SignalsLayer = Layer.effect(Signals, Signals)

/** Signals that come by way of the database. */
const otherProcess: SignalsLayer = Signals.layer

/** What one process knows: each call makes another. */
const identity = (issuer = "https://id.example.org", signals = sameProcess) =>
  Effect.map(
    Layer.build(
      Layer.fresh(Identity.layer({ issuer, publicUrl })).pipe(
        Layer.provide([tokens, Sessions.layerNone, Layer.fresh(signals)])
      )
    ),
    (context) => (subject: string, email: string) =>
      Context.get(context, Identity).authenticate({
        method: "GET",
        headers: { authorization: `Bearer ${subject}|${email}` }
      })
  )

const boss = Effect.scoped(Effect.flatMap(identity(), (signIn) => signIn("boss", owner)))

const demoted = (email: string) =>
  Effect.flatMap(
    DatabaseUrl,
    (url) => Database.query(url, "update team_members set role = 'member' where email = $1", [email])
  )

const owned = Effect.scoped(Layer.build(Layer.fresh(layerOwner(owner))))

layer(world(), { excludeTestServices: true })("A team", (it) => {
  it.scoped("has its owner from the start, and members who were invited", () =>
    Effect.gen(function*() {
      yield* owned
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
      const [mail, ...others] = yield* mails
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
      yield* owned
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
      const { info, invite, remove } = yield* team(Option.some(4))
      const { id: by } = yield* boss
      const { members } = yield* info
      const late = members.find(({ email }) => email === "late@example.org")
      yield* remove(late?.id ?? "", by)
      assert.instanceOf(yield* Effect.flip(remove(late?.id ?? "", by)), MemberNotFound)
      assert.instanceOf(yield* Effect.flip(remove("x", by)), MemberNotFound)
      const repo = yield* TeamRepo
      const beforeRemoval = { ...repo, find: () => Effect.succeed(Option.fromNullable(late)) }
      const { changeRole } = yield* Effect.provideService(team(), TeamRepo, beforeRemoval)
      assert.instanceOf(yield* Effect.flip(changeRole(late?.id ?? "", "admin", by)), MemberNotFound)
      assert.instanceOf(yield* Effect.flip((yield* identity())("late", "late@example.org")), NotAllowed)
      const chief = members.find(({ role }) => role === "owner")
      assert.instanceOf(yield* Effect.flip(remove(chief?.id ?? "", by)), OwnerNotChangeable)
      yield* invite(guest("late@example.org"), by)
      const back = yield* (yield* identity())("late", "late@example.org")
      assert.strictEqual(back.id, late?.user_id)
    }))

  it.scoped("has a role that an admin changes, except the owner's, and that counts at once", () =>
    Effect.gen(function*() {
      const { changeRole, info, invite } = yield* team(Option.some(9))
      const { id: by } = yield* boss
      yield* invite(guest("rises@example.org"), by)
      const signIn = Effect.flatMap(identity(), (one) => one("rises", "rises@example.org"))
      const { id: userId, role } = yield* signIn
      assert.strictEqual(role, "member")
      const { members } = yield* info
      const id = members.find(({ email }) => email === "rises@example.org")?.id ?? ""
      assert.deepInclude(yield* changeRole(id, "admin", by), { user_id: userId, role: "admin" })
      assert.strictEqual((yield* signIn).role, "admin")
      const url = yield* DatabaseUrl
      yield* Database.query(
        url,
        `insert into subscriptions (id, user_id, url, events, tasks, secret)
         values (gen_random_uuid(), $1, 'https://example.org/', '{task.failed}', 'all', '{"plain": "whsec_"}')`,
        [userId]
      )
      yield* changeRole(id, "member", userId)
      assert.strictEqual((yield* signIn).role, "member")
      const subscriptions = yield* Database.query<{ tasks: string }>(
        url,
        "select tasks from subscriptions where user_id = $1",
        [userId]
      )
      assert.deepStrictEqual(subscriptions.map(({ tasks }) => tasks), ["own"])
      assert.instanceOf(yield* Effect.flip(changeRole(id, "admin", userId)), NotAllowed)
      assert.instanceOf(yield* Effect.flip(changeRole("x", "admin", by)), MemberNotFound)
      const chief = members.find(({ role }) => role === "owner")
      assert.instanceOf(yield* Effect.flip(changeRole(chief?.id ?? "", "member", by)), OwnerNotChangeable)
    }))

  it.scoped("that of a removed admin leaves a user who is none, and whose schedules are paused", () =>
    Effect.gen(function*() {
      const { info, invite, remove } = yield* team(Option.some(9))
      const { id: by } = yield* boss
      yield* invite({ ...guest("chief@example.org"), role: "admin" }, by)
      const chief = yield* (yield* identity())("chief", "chief@example.org")
      const role = Effect.flatMap(
        UserRepo,
        ({ find }) => Effect.map(find(chief.id), (user) => Option.getOrThrow(user).role)
      )
      assert.strictEqual(yield* role, "admin")
      const url = yield* DatabaseUrl
      yield* Database.query(
        url,
        `insert into schedules (id, user_id, kind, message, cron, timezone, next_run_at)
values (gen_random_uuid(), $1, 'task', 'Report', '0 9 * * *', 'UTC', now())`,
        [chief.id]
      )
      const { members } = yield* info
      yield* remove(
        members.find(({ email }) => email === "chief@example.org")?.id ?? "",
        by
      )
      const paused = yield* Database.query(
        url,
        "select from schedules where user_id = $1 and status = 'paused' and next_run_at is null",
        [chief.id]
      )
      assert.lengthOf(paused, 1)
      assert.strictEqual(yield* role, "member")
    }))

  it.scoped("that of a removed or demoted member counts for no process any more, within less than it is remembered", () =>
    Effect.gen(function*() {
      const { info, invite, remove } = yield* team(Option.some(9))
      const { id: by } = yield* boss
      for (const name of ["gone", "less"]) yield* invite({ ...guest(`${name}@example.org`), role: "admin" }, by)
      const signIn = yield* identity(undefined, otherProcess)
      const roleOf = (name: string) =>
        Effect.match(signIn(name, `${name}@example.org`), {
          onFailure: ({ _tag }) => _tag,
          onSuccess: ({ role }) => role
        })
      assert.deepStrictEqual(yield* Effect.all([roleOf("gone"), roleOf("less")]), ["admin", "admin"])
      const gone = (yield* info).members.find(({ email }) => email === "gone@example.org")
      yield* remove(gone?.id ?? "", by)
      yield* eventually(roleOf("gone"), (role) => role === "NotAllowed", "5 seconds")
      yield* demoted("less@example.org")
      yield* eventually(roleOf("less"), (role) => role === "member", "5 seconds")
    }))

  it.scoped("is given and taken by nobody who is no admin any more, and no invitation of such a sender is accepted", () =>
    Effect.gen(function*() {
      const { info, invite, remove } = yield* team(Option.some(20))
      const { id: by } = yield* boss
      yield* invite({ ...guest("former@example.org"), role: "admin" }, by)
      const signIn = yield* identity()
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

  it.scoped("the owner's goes to a new owner with the setting, and the earlier one stays as admin", () =>
    Effect.gen(function*() {
      const before = yield* (yield* identity())("boss", owner)
      const successor = yield* (yield* identity())("late", "late@example.org")
      yield* Effect.scoped(Layer.build(Layer.fresh(layerOwner("late@example.org"))))
      const signIn = yield* identity()
      assert.deepStrictEqual(yield* signIn("late", "late@example.org"), { ...successor, role: "owner" })
      assert.deepStrictEqual(yield* signIn("boss", owner), { ...before, role: "admin" })
      const users = yield* UserRepo
      assert.strictEqual(Option.getOrThrow(yield* users.find(before.id)).role, "admin")
    }))

  it.scoped("that of a removed member who is invited again goes with the user of the same subject, unless erased", () =>
    Effect.gen(function*() {
      const { info, invite, remove } = yield* team(Option.some(20))
      const { id: by } = yield* boss
      const removeAddress = (address: string) =>
        Effect.flatMap(info, ({ members }) => remove(members.find(({ email }) => email === address)?.id ?? "", by))
      const signIn = (subject: string, email: string) =>
        Effect.flatMap(identity(), (authenticate) => authenticate(subject, email))
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
      const url = yield* DatabaseUrl
      yield* Database.query(
        url,
        `insert into users (id, name, email, chat_user_id, overrides) values
('listed', 'Lise', 'Lise@Example.org', 'ULISE', '{}'), ('entered', 'Eve', 'entered@example.org', 'UEVE', '{email}')`
      )
      for (const name of ["lise", "entered"]) yield* invite(guest(`${name}@example.org`), by)
      const signIn = yield* identity()
      assert.strictEqual((yield* signIn("lise", "lise@example.org")).id, "listed")
      assert.notStrictEqual((yield* signIn("evelyn", "entered@example.org")).id, "entered")
      const { find } = yield* UserRepo
      assert.deepInclude(Option.getOrThrow(yield* find(UserId.make("listed"))), { name: "Lise", chat_user_id: "ULISE" })
    }))

  it.scoped("that of a member whose data is deleted stays, with its address alone", () =>
    Effect.gen(function*() {
      const { info, invite } = yield* team(Option.some(100))
      const { id: by } = yield* boss
      yield* invite({ email: "eve@example.org", name: "Eve", role: "member" }, by)
      const { id } = yield* (yield* identity())("eve", "eve@example.org")
      yield* (yield* UserRepo).remove(id)
      const seat = (yield* info).members.find(({ email }) => email === "eve@example.org")
      assert.deepInclude(seat, { name: null, status: "active", user_id: id })
    }))
})
