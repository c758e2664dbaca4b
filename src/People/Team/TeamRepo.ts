import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { NotAllowed } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Invitation, InvitationLetter, type MemberId, TeamMember } from "@troupe/domain/Team"
import { Role } from "@troupe/domain/User"
import { Context, Effect, flow, Layer, Option, Schema } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowOf, rowsOf, theRow } from "../../Runtime/Database/Query.ts"
import { storable, storableOrNull } from "../../Runtime/Database/StorableText.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { hasChatAccount } from "../User/ChatAccounts.ts"
import { changingUsers, doublesOf, joinUsers } from "../User/JoinedUsers.ts"

interface Subject {
  readonly issuer: string
  readonly subject: string
}

interface SignIn extends Subject {
  readonly email: string
  /** Of the user who is created at the first sign-in, unless the subject had one before. */
  readonly userId: UserId
  readonly name: string | null
}

interface NewInvitation extends Pick<Invitation, "email" | "id" | "name" | "role"> {
  readonly invitedBy: UserId
}

const Seat = Schema.Struct({ id: UserId, role: Role })

/** The seats of the team, in `team_members`, which only the service reads. An unreachable database is a defect. */
export class TeamRepo extends Context.Tag("troupe/People/Team/TeamRepo")<TeamRepo, {
  readonly findSubject: (subject: Subject) => Effect.Effect<Option.Option<typeof Seat.Type>>
  /**
   * Gives the seat of this address to the subject, unless another subject of the issuer has it, and creates its user; a
   * removed subject gets its user back, and a person whom the chat platform lists with the address the user of the sync,
   * which is joined with the user that the seat has already. Identity is (issuer, subject): after a change of
   * OIDC_ISSUER, members are matched by verified e-mail. An invitation counts only while its sender is an owner or admin.
   */
  readonly bind: (signIn: SignIn) => Effect.Effect<Option.Option<typeof Seat.Type>>
  readonly findByEmail: (email: string) => Effect.Effect<Option.Option<typeof Seat.Type>>
  /**
   * A new invitation, for which `onInvited` runs in the transaction, or the open or used one of that address; none if no
   * seat is free. An open one whose sender is no owner or admin any more becomes the one that is given.
   */
  readonly invite: (
    invitation: NewInvitation,
    maxUsers: number | null,
    onInvited: (letter: InvitationLetter) => Effect.Effect<void>
  ) => Effect.Effect<Option.Option<{ readonly invitation: Invitation; readonly isNew: boolean }>, NotAllowed>
  /** What the invited person reads; it changes nothing. None: withdrawn, or never made. */
  readonly letter: (id: MemberId) => Effect.Effect<Option.Option<InvitationLetter>>
  readonly list: Effect.Effect<ReadonlyArray<TeamMember>>
  readonly find: (id: MemberId) => Effect.Effect<Option.Option<TeamMember>>
  readonly isAdmin: (id: UserId) => Effect.Effect<boolean>
  /** Whether somebody has signed in as this user, and has a seat. */
  readonly isMember: (id: UserId) => Effect.Effect<boolean>
  /** None: not there, or the owner's. A member who is no admin any more is subscribed to own tasks only. */
  readonly setRole: (
    id: MemberId,
    role: Exclude<Role, "owner">,
    by: UserId
  ) => Effect.Effect<Option.Option<TeamMember>, NotAllowed>
  /** Never the owner's. The member's user stays, without an admin's rights and subscriptions, and with paused schedules. */
  readonly remove: (id: MemberId, by: UserId) => Effect.Effect<void, NotAllowed>
  /** Makes the address the only owner; an earlier owner becomes an admin. */
  readonly setOwner: (owner: Pick<NewInvitation, "email" | "id">) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<TeamRepo, never, SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, makeRepo)
  )
}

const status = "case when user_id is null then 'pending' else 'active' end as status"
const invitation = `id::text, email, name, role, ${status}, invited_by, ${timestamp("invited_at", "invited_at")}`

const isSqlError = (error: unknown): error is SqlError => error instanceof SqlError

const adminsOnly = "Only an owner or admin of the team may do this."

/** Held by whoever adds or removes seats: `select hashtext('troupe team')`. */
const seatsLock = 1_087_261_933

const invitations = rowsOf(Invitation)
const invitationOf = rowOf(Invitation)
const letterOf = rowOf(InvitationLetter)
const members = rowsOf(TeamMember)
const memberOf = rowOf(TeamMember)
const counts = rowsOf(Schema.Struct({ seats: Schema.Int }))

function makeRepo(sql: SqlClient.SqlClient): TeamRepo["Type"] {
  const invitationColumns = sql.literal(invitation)
  const memberColumns = sql.literal(`id::text, user_id, email, name, role, ${status}`)

  const seatOf = flow(rowOf(Seat), asService)
  /** Every process forgets the seats that it remembers. */
  const seatsChanged = sql.literal("pg_notify('troupe_seats', '')")
  const countSeats = Effect.map(
    theRow(counts(sql`select count(*)::integer as seats from team_members`)),
    ({ seats }) => seats
  )

  /** One at a time, so that two invitations can't take the last seat, and none is made by a member who is removed. */
  const inTurn = <A, E>(work: Effect.Effect<A, E | SqlError>) =>
    sql.withTransaction(Effect.zipRight(sql`select pg_advisory_xact_lock(${seatsLock})`, work)).pipe(
      Effect.catchIf(isSqlError, Effect.die),
      asService
    )

  const isAdmin = (id: UserId) =>
    Effect.map(
      sql`select from team_members where user_id = ${id} and role in ('owner', 'admin')`,
      ({ length }) => length > 0
    )
  const checkAdmin = (id: UserId) =>
    Effect.filterOrFail(isAdmin(id), (is) => is, () => new NotAllowed({ reason: adminsOnly }))

  /** Whether the sender of the invitation in the row `m` may still invite. */
  const hasAccount = sql.literal(hasChatAccount("u.id"))
  const isValid = sql`(m.invited_by is null or exists (
    select from team_members i where i.user_id = m.invited_by and i.role in ('owner', 'admin')))`

  const person = sql.literal("jsonb_build_object('name', coalesce(u.display_name, u.name, p.name), 'email', p.email)")
  const letter = (id: string) =>
    letterOf(sql`select ${invitationColumns}, ${isValid} as is_valid,
  (select ${person} from team_members p left join users u on u.id = p.user_id where p.user_id = m.invited_by) as inviter,
  (select ${person} from team_members p left join users u on u.id = p.user_id where p.role = 'owner') as owner
from team_members m where id = ${id}`)

  return TeamRepo.of({
    findSubject: ({ issuer, subject }) =>
      seatOf(sql`select user_id as id, role from team_members where issuer = ${issuer} and subject = ${subject}`),
    bind: ({ email, issuer, name, subject, userId }) =>
      changingUsers(sql)(Effect.gen(function*() {
        const seat = yield* seatOf(sql`with former as (
  select f.user_id from former_members f
  where f.issuer = ${issuer} and f.subject = ${subject}
    and not exists (select from team_members m where m.user_id = f.user_id)
), listed as (
  select u.id from users u
  where lower(u.email) = ${email} and ${hasAccount} and not u.is_guest and not 'email' = any(u.overrides)
    and not u.is_system
    and not exists (select from team_members m where m.user_id = u.id)
    and not exists (select from former_members f where f.user_id = u.id)
  order by u.created_at, u.id limit 1
), seat as (
  update team_members m set issuer = ${issuer}, subject = ${subject},
    user_id = coalesce(user_id, (select user_id from former), (select id from listed), ${userId}),
    name = coalesce(name, ${name}), joined_at = coalesce(joined_at, now())
  where email = ${email} and issuer is distinct from ${issuer} and (user_id is not null or ${isValid})
  returning user_id, role, coalesce(name, split_part(email, '@', 1)) as name, email
), person as (
  insert into users (id, name, email, role) select user_id, name, email, role from seat
  on conflict (id) do update set role = excluded.role
)
select user_id as id, role, ${seatsChanged} from seat`)
        if (Option.isSome(seat)) yield* joinUsers(sql, yield* doublesOf(sql, seat.value.id, email))
        return seat
      })).pipe(Effect.orDie, asService),
    findByEmail: (email) =>
      seatOf(
        sql`select user_id as id, role from team_members where email = ${storable(email)} and user_id is not null`
      ),
    invite: (wanted, maxUsers, onInvited) =>
      inTurn(Effect.gen(function*() {
        const { email, id, invitedBy, name: given, role } = wanted
        const name = storableOrNull(given)
        yield* checkAdmin(invitedBy)
        yield* sql`update team_members m set invited_by = ${invitedBy}, name = ${name}, role = ${role}
where email = ${email} and user_id is null and not ${isValid}`
        const known = yield* invitationOf(sql`select ${invitationColumns} from team_members where email = ${email}`)
        if (Option.isSome(known)) return Option.some({ invitation: known.value, isNew: false })
        if (maxUsers !== null && (yield* countSeats) >= maxUsers) return Option.none()
        const invitation = yield* theRow(invitations(
          sql`insert into team_members (id, email, name, role, invited_by)
values (${id}, ${email}, ${name}, ${role}, ${invitedBy}) returning ${invitationColumns}`
        ))
        yield* onInvited(yield* Effect.orDie(Effect.flatten(letter(id))))
        return Option.some({ invitation, isNew: true })
      })),
    letter: (id) => asService(letter(id)),
    list: asService(members(sql`select ${memberColumns} from team_members order by lower(coalesce(name, email)), id`)),
    find: (id) => asService(memberOf(sql`select ${memberColumns} from team_members where id = ${id}`)),
    isAdmin: (id) => asService(Effect.orDie(isAdmin(id))),
    isMember: (id) =>
      sql`select from team_members where user_id = ${id}`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie,
        asService
      ),
    remove: (id, by) =>
      inTurn(Effect.zipRight(
        checkAdmin(by),
        sql`with removed as (
  delete from team_members where id = ${id} and role <> 'owner' returning issuer, subject, user_id
), remembered as (
  insert into former_members (issuer, subject, user_id)
  select issuer, subject, user_id from removed where user_id is not null
  on conflict (issuer, subject) do update set user_id = excluded.user_id
), unsubscribed as (
  delete from subscriptions s using removed where s.user_id = removed.user_id
), unscheduled as (
  update schedules s set status = 'paused', next_run_at = null from removed
  where s.user_id = removed.user_id and s.status = 'active'
), demoted as (
  update users set role = 'member' from removed where users.id = removed.user_id
)
select ${seatsChanged} from removed`
      )),
    setRole: (id, role, by) =>
      inTurn(Effect.zipRight(
        checkAdmin(by),
        memberOf(sql`with changed as (
  update team_members set role = ${role} where id = ${id} and role <> 'owner' returning *
), users_changed as (
  update users u set role = changed.role from changed where u.id = changed.user_id
), unsubscribed as (
  update subscriptions s set tasks = 'own' from changed
  where s.user_id = changed.user_id and changed.role = 'member' and s.tasks = 'all'
)
select ${memberColumns}, ${seatsChanged} from changed`)
      )),
    setOwner: ({ email, id }) =>
      inTurn(Effect.gen(function*() {
        yield* sql`update team_members set role = 'admin' where role = 'owner' and email <> ${email}
returning ${seatsChanged}`
        yield* sql`insert into team_members (id, email, role) values (${id}, ${email}, 'owner')
on conflict (email) do update set role = 'owner' where team_members.role <> 'owner' returning ${seatsChanged}`
        yield* sql`update users u set role = m.role from team_members m where m.user_id = u.id and u.role <> m.role`
      }))
  })
}
