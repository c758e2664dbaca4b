import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { AccessToken } from "@troupe/domain/AccessToken"
import { Role } from "@troupe/domain/User"
import { Effect, Option } from "effect"
import { connection, optional, userOption } from "./Arguments.ts"
import { list, safeLine } from "./Format.ts"
import { tokenIdOf } from "./Ids.ts"
import { Screen, writeDone, writeList } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

export const tokenTable = list<AccessToken>(
  ["ID", ({ id }) => id, "dim"],
  ["NAME", ({ name }) => safeLine(name, 60)],
  ["BEGINS WITH", ({ prefix }) => prefix],
  ["ROLE", ({ role }) => role],
  ["CREATED", ({ created_at }) => created_at],
  ["LAST USED", ({ last_used_at }) => last_used_at ?? "never"],
  ["EXPIRES", ({ expires_at }) => expires_at ?? "with the seat"]
)

const create = Command.make(
  "create",
  {
    ...connection,
    role: Options.choice("role", Role.literals).pipe(
      Options.withDefault("member"),
      Options.withDescription("The most that it may do, up to your own role; default: member")
    ),
    days: optional(Options.integer("days"), "Days until it ends; default: it ends with the seat"),
    name: Args.text({ name: "name" }).pipe(Args.withDescription("What it is for"))
  },
  ({ days, json, name, role }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const made = yield* call(({ tokens }) =>
        tokens.create({
          payload: {
            name,
            role,
            ...Option.match(days, { onNone: () => ({}), onSome: (expires_in_days) => ({ expires_in_days }) })
          }
        })
      )
      if (json) return yield* screen.json(made)
      yield* screen.write(`${made.token}\n`)
      yield* screen.note("Store the token now: it is not shown again.\n")
    })
).pipe(forService("Creates a token for a program, which acts as you; needs an ID token"))

const revoke = Command.make(
  "revoke",
  {
    ...connection,
    id: Args.text({ name: "token" }).pipe(Args.withDescription("Id of the token, or the beginning of it"))
  },
  ({ id, json }) =>
    Effect.gen(function*() {
      const token_id = yield* tokenIdOf(id)
      yield* call(({ tokens }) => tokens.remove({ path: { token_id: segment(token_id) } }))
      yield* writeDone({ revoked: token_id }, { json, note: "Revoked; it no longer counts." })
    })
).pipe(forService("Revokes a token"))

export const tokens = Command.make(
  "tokens",
  { ...connection, user: userOption },
  ({ json, user }) =>
    call((client) => client.tokens.list({ urlParams: { limit: 1000, user_id: Option.getOrUndefined(user) } })).pipe(
      Effect.flatMap((found) => writeList(found, { json, table: tokenTable, none: "No tokens." }))
    )
).pipe(
  forService("Lists your tokens of a hosted service, newest first; creates and revokes them"),
  Command.withSubcommands([create, revoke])
)
