import { CurrentUser } from "@troupe/api/Authentication"
import { type Caller, isSelfHosted } from "@troupe/domain/Caller"
import { Effect } from "effect"
import { Wire } from "./TaskWorld.ts"

/** Gives the caller a seat of the team, without which its statements are refused. There is one owner, so owners get an admin's. */
export const seatOf = ({ id, role }: Caller): readonly [text: string, values: ReadonlyArray<string>] => [
  `insert into team_members (id, email, role, user_id, issuer, subject, joined_at)
values (gen_random_uuid(), $1 || '@seats.example.org', $2, $1, 'https://id.example.org', 'seat of ' || $1, now())
on conflict (user_id) do update set role = excluded.role where team_members.role <> excluded.role`,
  [id, role === "member" ? "member" : "admin"]
]

/** Runs the effect for this caller, who is a member of the team. */
export const as = (caller: Caller) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.zipRight(
    isSelfHosted(caller) ? Effect.void : Effect.flatMap(Wire, ({ query }) => query(...seatOf(caller))),
    Effect.provideService(effect, CurrentUser, caller)
  )
