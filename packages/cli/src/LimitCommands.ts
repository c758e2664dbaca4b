import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { LimitsReport, Spent } from "@troupe/api/LimitsApi"
import type { SpendingLimits } from "@troupe/domain/Spending"
import { Effect, Option, Schema, Struct } from "effect"
import { connection, optional } from "./Arguments.ts"
import { wrongUsage } from "./CommandFailed.ts"
import { count, list, safeLine, type TextStyle } from "./Format.ts"
import { writeResult } from "./Screen.ts"
import { call, forService } from "./Service.ts"

type Periods = SpendingLimits["team"]

const noLimit: Periods = { day: null, month: null }
const nothing: Spent = { day: 0, month: 0 }

const limitText = (limit: number | null): string => limit === null ? "-" : String(limit)

const sumTable = list<{ readonly of: string; readonly sums: Spent; readonly limits: Periods }>(
  ["OF", ({ of }) => safeLine(of, 60)],
  ["TODAY", ({ sums }) => sums.day.toFixed(4)],
  ["LIMIT", ({ limits }) => limitText(limits.day)],
  ["THIS MONTH", ({ sums }) => sums.month.toFixed(4)],
  ["LIMIT", ({ limits }) => limitText(limits.month)]
)

/** One line for the team, one for each person who spent something, one for each agent. Each has the limits and the amount spent. */
export const limitsText = ({ agents, person, spent, team, unpriced_calls }: LimitsReport, paint: TextStyle): string => {
  const people = Object.entries(spent.people).toSorted(([, one], [, other]) => other.month - one.month)
  const agentNames = [...new Set([...Object.keys(agents), ...Object.keys(spent.agents)])].toSorted()
  const table = sumTable([
    { of: "team", sums: spent.team, limits: team },
    ...(people.length === 0 ? [{ of: "each person", sums: nothing, limits: person }] : []),
    ...people.map(([id, sums]) => ({ of: `person ${id}`, sums, limits: person })),
    ...agentNames.map((name) => ({
      of: `agent ${name}`,
      sums: spent.agents[name] ?? nothing,
      limits: agents[name] ?? noLimit
    }))
  ], paint)
  return unpriced_calls.month === 0
    ? table
    : `${table}\nCalls without a price count as 0: ${count(unpriced_calls.day)} today, ${
      count(unpriced_calls.month)
    } in this month.\n`
}

/** The limits after a change for `team`, `person` or `agent:<name>`; null: `of` is none of these. */
export const changedLimits = (
  limits: SpendingLimits,
  of: string,
  change: Partial<Periods>
): SpendingLimits | null => {
  if (of === "team" || of === "person") return { ...limits, [of]: { ...limits[of], ...change } }
  const agent = /^agent:(.+)$/.exec(of)?.[1]
  if (agent === undefined) return null
  const changed = { ...(limits.agents[agent] ?? noLimit), ...change }
  const isNone = changed.day === null && changed.month === null
  return {
    ...limits,
    agents: isNone ? Struct.omit(limits.agents, agent) : { ...limits.agents, [agent]: changed }
  }
}

const Amount = Schema.Union(
  Schema.transform(Schema.Literal("none"), Schema.Null, { decode: () => null, encode: () => "none" as const }),
  Schema.NumberFromString.pipe(Schema.finite(), Schema.nonNegative())
).annotations({ message: () => ({ message: "a number from 0, or none", override: true }) })

const amount = (period: string) =>
  optional(
    Options.text(period).pipe(Options.withSchema(Amount), Options.withPseudoName("amount")),
    `What may be spent in a ${period} in UTC, or none; default: as before`
  )

const set = Command.make(
  "set",
  {
    ...connection,
    of: Args.text({ name: "of" }).pipe(Args.withDescription("team, person (each of them) or agent:<name>")),
    day: amount("day"),
    month: amount("month")
  },
  ({ day, json, month, of }) =>
    Effect.gen(function*() {
      if (Option.isNone(day) && Option.isNone(month)) {
        return yield* wrongUsage("Name the limit with --day or --month.")
      }
      const found = yield* call((client) => client.limits.find({}))
      const payload = changedLimits(Struct.pick(found, "team", "person", "agents"), of, {
        ...(Option.isSome(day) ? { day: day.value } : {}),
        ...(Option.isSome(month) ? { month: month.value } : {})
      })
      if (payload === null) {
        const message = `Whose limit is ${JSON.stringify(of)}? Write team, person or agent:<name>.`
        return yield* wrongUsage(message)
      }
      const report = yield* call((client) => client.limits.update({ payload }))
      yield* writeResult(report, { json, text: limitsText })
    })
).pipe(forService("Sets what the team, each person or an agent may spend in a day and in a month"))

export const limits = Command.make(
  "limits",
  connection,
  ({ json }) =>
    Effect.flatMap(
      call((client) => client.limits.find({})),
      (report) => writeResult(report, { json, text: limitsText })
    )
).pipe(
  forService("Shows the spending limits and what is spent of them; for the owner and admins"),
  Command.withSubcommands([set])
)
