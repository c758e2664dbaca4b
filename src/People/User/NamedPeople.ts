import type { SqlClient } from "@effect/sql/SqlClient"
import { isUserId, UserId } from "@troupe/domain/Ids"
import { PersonUnknown } from "@troupe/domain/User"
import { Effect, Schema } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"
import { nearest } from "../../Runtime/NearNames.ts"
import { hasChatAccount } from "./ChatAccounts.ts"
import { holdsAddress } from "./JoinedUsers.ts"

/** A person whom a request names by a text. */
export interface Named {
  readonly given: string
  /** Where in the request. */
  readonly path: string
  readonly isHosted: boolean
  /** Whether an unknown id is the id of a new user. */
  readonly mayBeNew: boolean
}

const Person = Schema.Struct({
  id: UserId,
  name: Schema.NullOr(Schema.String),
  display_name: Schema.NullOr(Schema.String),
  /** The address by which the person is found. */
  email: Schema.NullOr(Schema.String)
})
type Person = typeof Person.Type

const people = rowsOf(Person)
const ids = rowsOf(Schema.Struct({ id: UserId }))

const maxCandidates = 5

/**
 * Whether the name of the user `u` is one that the team knows: guests, and unknown senders of mail, give themselves any
 * name, until somebody enters their address.
 */
export const isKnown = (sql: SqlClient) =>
  sql.literal(
    `(not u.is_guest and (${hasChatAccount("u.id")} or u.email is null) or 'email' = any(u.overrides))`
  )

/** Finds a person by an id, a former one too, else by an address, else by a name that only one person has. */
export type FindNamed = (named: Named) => Effect.Effect<UserId, PersonUnknown>

export const makeFindNamed = (sql: SqlClient): FindNamed => {
  const byId = (id: string) =>
    ids(sql`select coalesce((select user_id from joined_users where id = ${id}),
  (select id from users where id = ${id})) as id
where exists (select from joined_users where id = ${id}) or exists (select from users where id = ${id})`)

  /** Hosted, the address of the seat: the one in a profile is what its owner entered. */
  const byAddress = (address: string, isHosted: boolean) =>
    isHosted
      ? people(sql`select u.id, u.name, u.display_name, m.email from team_members m join users u on u.id = m.user_id
where m.email = lower(${address}::text)`)
      : people(sql`select id, name, display_name, email from users u
where lower(email) = lower(${address}::text) and not is_system and ${holdsAddress(sql, "u")} order by id`)

  /** A guest or unknown sender does not get what is meant for a person of the team. */
  const known = (isHosted: boolean) =>
    isHosted
      ? people(sql`select u.id, coalesce(u.name, m.name) as name, u.display_name, m.email
from team_members m join users u on u.id = m.user_id order by u.id`)
      : people(sql`select id, case when is_known or 'name' = any(overrides) then name end as name,
  case when is_known or 'display_name' = any(overrides) then display_name end as display_name, email
from (
  select id, name, display_name, overrides, created_at, case when ${holdsAddress(sql, "u")} then email end as email,
    ${isKnown(sql)} as is_known
  from users u where not is_system
) u where is_known or overrides && '{name,display_name}' order by id`)

  return ({ given, isHosted, mayBeNew, path }) =>
    Effect.gen(function*() {
      const wanted = given.trim()
      const text = storable(wanted)
      if (isUserId(wanted)) {
        const [found] = yield* byId(wanted)
        if (found !== undefined) return found.id
      }
      const unknown = (candidates: ReadonlyArray<Person>, isAmbiguous: boolean) =>
        new PersonUnknown({
          path,
          given: wanted,
          is_ambiguous: isAmbiguous,
          candidates: candidates.slice(0, maxCandidates).map(described)
        })
      const addressed = wanted.includes("@") ? yield* byAddress(text, isHosted) : []
      const [first, ...others] = addressed
      if (first !== undefined) return others.length === 0 ? first.id : yield* unknown(addressed, true)
      const all = yield* known(isHosted)
      const key = comparable(wanted)
      // Nobody is found by a name that is the address of somebody else.
      const namesakes = wanted.includes("@") ?
        [] :
        all.filter((person) => [person.id, ...namesOf(person)].some((name) => comparable(name) === key))
      const [namesake, ...more] = namesakes
      if (namesake !== undefined) return more.length === 0 ? namesake.id : yield* unknown(namesakes, true)
      if (mayBeNew && !isHosted && isUserId(wanted) && !wanted.includes("@")) return wanted
      return yield* unknown(nearest(wanted, all, wordsOf).slice(0, maxCandidates), false)
    }).pipe(asService)
}

const namesOf = ({ display_name, name }: Person): ReadonlyArray<string> =>
  [name, display_name].filter((one) => one !== null)

/** What a text that is nearly right may have meant: also a first or last name, and an address. */
const wordsOf = (person: Person): ReadonlyArray<string> => [
  person.id,
  ...(person.email === null ? [] : [person.email]),
  ...namesOf(person).flatMap((name) => [name, ...name.split(/\s+/)])
]

/** Two spellings that look the same are one name. */
const comparable = (name: string): string =>
  name.normalize("NFKC").replaceAll(/[\p{Cf}\p{Cc}]/gu, "").trim().replaceAll(/\s+/g, " ").toLowerCase()

/** The name, and what a request may name the person by. */
const described = ({ display_name, email, id, name }: Person): string => {
  const key = email ?? id
  const shown = name ?? display_name
  return shown === null || shown === key ? key : `${shown} (${key})`
}
