import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { TeamInfo } from "@troupe/domain/Team"
import { Day, type UserUsage } from "@troupe/domain/Usage"
import { Effect, Option } from "effect"
import { connection, optional, userOption } from "./Arguments.ts"
import { count, list, safeLine, table, type TextStyle } from "./Format.ts"
import { memberIdOf } from "./Ids.ts"
import { Screen, writeDone, writeResult } from "./Screen.ts"
import { call, forService, ownerOf, segment } from "./Service.ts"

const memberTable = list<TeamInfo["members"][number]>(
  ["ID", ({ id }) => id, "dim"],
  ["EMAIL", ({ email }) => safeLine(email, 100)],
  ["NAME", ({ name }) => safeLine(name ?? "-", 60)],
  ["ROLE", ({ role }) => role],
  ["STATUS", ({ status }) => status, ({ status }) => status === "pending" ? "yellow" : null],
  ["USER", ({ user_id }) => user_id ?? "-"]
)

/** The seats and the members. */
export const teamText = ({ max_users, members, tier, user_count }: TeamInfo, paint: TextStyle): string =>
  `${user_count} of ${max_users ?? "any number of"} seats taken (${tier})\n\n`
  + memberTable(members, paint)

const invite = Command.make(
  "invite",
  {
    ...connection,
    role: Options.choice("role", ["admin", "member"]).pipe(
      Options.withDefault("member"),
      Options.withDescription("What the person may do; default: member")
    ),
    name: optional(Options.text("name"), "Full name"),
    email: Args.text({ name: "email" }).pipe(Args.withDescription("The address that the person signs in with"))
  },
  ({ email, json, name, role }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const invitation = yield* call(({ team }) =>
        team.invite({
          payload: { email, role, ...Option.match(name, { onNone: () => ({}), onSome: (name) => ({ name }) }) }
        })
      )
      if (json) return yield* screen.json(invitation)
      yield* screen.write(`${invitation.id}\n`)
      yield* screen.note(`Invited as ${invitation.role}. The seat is taken from now on.\n`)
    })
).pipe(forService("Invites a person; for the owner and admins"))

const remove = Command.make(
  "remove",
  {
    ...connection,
    id: Args.text({ name: "member" }).pipe(
      Args.withDescription("Id of the member or invitation, or the beginning of it")
    )
  },
  ({ id, json }) =>
    Effect.gen(function*() {
      const member_id = yield* memberIdOf(id)
      yield* call(({ team }) => team.remove({ path: { member_id: segment(member_id) } }))
      yield* writeDone({ removed: member_id }, { json, note: "Removed; the seat is free." })
    })
).pipe(forService("Removes a member, or withdraws an invitation"))

export const team = Command.make(
  "team",
  connection,
  ({ json }) =>
    Effect.flatMap(call((client) => client.team.info({})), (info) => writeResult(info, { json, text: teamText }))
).pipe(
  forService("Lists the members of the team of a hosted service, and its seats"),
  Command.withSubcommands([invite, remove])
)

/** What the tasks of a user used, in total and by day. */
export const usageText = (usage: UserUsage, paint: TextStyle): string =>
  [
    totalText(usage, paint),
    ...(usage.days.length === 0 ? [] : [dayTable(usage.days, paint)]),
    ...(usage.spending.length === 0 ? [] : [spendingTable(usage.spending, paint)])
  ].join("\n")

const spendingTable = list<UserUsage["spending"][number]>(
  ["DAY", ({ date }) => date],
  ["AGENT", ({ agent }) => safeLine(agent ?? "-", 60)],
  ["MODEL", ({ model }) => safeLine(model, 60)],
  ["SOURCE", ({ source }) => source ?? "-"],
  [
    "CALLS",
    ({ calls, unpriced_calls }) =>
      `${count(calls)}${unpriced_calls === 0 ? "" : ` (${count(unpriced_calls)} without a price)`}`
  ],
  ["COST", ({ cost }) => cost.toFixed(4)]
)

const dayTable = list<UserUsage["days"][number]>(
  ["DAY", ({ date }) => date],
  ["TASKS", ({ tasks }) => count(tasks)],
  ["INPUT", ({ input_tokens }) => count(input_tokens)],
  ["OUTPUT", ({ output_tokens }) => count(output_tokens)],
  ["COST", ({ cost }) => cost === null ? "-" : cost.toFixed(4)]
)

const totalText = (usage: UserUsage, paint: TextStyle): string =>
  table([
    ["Tasks", count(usage.tasks)],
    ["Input", `${count(usage.input_tokens)} tokens`],
    ["Output", `${count(usage.output_tokens)} tokens`],
    ["Model calls", count(usage.model_calls)],
    ["Tool calls", count(usage.tool_calls)],
    [
      "Cost",
      usage.cost !== null
        ? usage.cost.toFixed(4)
        : usage.model_calls === 0
        ? "none"
        : "unknown: not every call had a price in MODEL_PRICES"
    ]
  ], (cell, column) => column === 0 ? paint.dim(cell) : cell)

const day = (name: string, which: string) =>
  optional(
    Options.text(name).pipe(Options.withSchema(Day), Options.withPseudoName("day")),
    `Only tasks created on this day in UTC or ${which}, such as 2026-01-31`
  )

export const usage = Command.make(
  "usage",
  { ...connection, user: userOption, from: day("from", "later"), to: day("to", "earlier") },
  ({ from, json, to, user }) =>
    Effect.gen(function*() {
      const user_id = segment(yield* ownerOf(user))
      const urlParams = {
        ...(Option.isSome(from) ? { from: from.value } : {}),
        ...(Option.isSome(to) ? { to: to.value } : {})
      }
      const used = yield* call(({ tasks }) => tasks.usage({ path: { user_id }, urlParams }))
      yield* writeResult(used, { json, text: usageText })
    })
).pipe(forService("Shows what the tasks of a user used: tokens, calls and cost"))
