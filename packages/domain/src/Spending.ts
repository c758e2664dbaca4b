import { Schema } from "effect"

const Amount = Schema.optionalWith(Schema.NullOr(Schema.Finite.pipe(Schema.nonNegative())), { default: () => null })

/** What may be spent in a day and in a month, in UTC; null: any amount. */
export const PeriodLimits = Schema.Struct({
  day: Amount.annotations({ description: "In a day; null: no limit" }),
  month: Amount.annotations({ description: "In a month; null: no limit" })
}).annotations({ identifier: "PeriodLimits" })

const none = () => ({ day: null, month: null })

/** The spending limits, in the currency of the models' prices. */
export const SpendingLimits = Schema.Struct({
  team: Schema.optionalWith(PeriodLimits.annotations({ description: "Of all tasks together" }), { default: none }),
  person: Schema.optionalWith(PeriodLimits.annotations({ description: "Of the tasks of each person" }), {
    default: none
  }),
  agents: Schema.optionalWith(
    Schema.Record({ key: Schema.String, value: PeriodLimits }).pipe(
      Schema.filter((agents) => "" in agents ? "an agent has no name" : undefined, { jsonSchema: {} })
    ).annotations({
      description: "Of the tasks of an agent, by its name"
    }),
    {
      default: () => ({})
    }
  )
}).annotations({
  identifier: "SpendingLimits",
  description:
    "team: of all tasks together; person: of the tasks of each person; agents: of the tasks of an agent, by its name"
})
export type SpendingLimits = typeof SpendingLimits.Type

export const noLimits: SpendingLimits = { team: none(), person: none(), agents: {} }

/** A limit of an agent that there is not. */
export class LimitsInvalid extends Schema.TaggedError<LimitsInvalid>()("LimitsInvalid", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}

/** What was spent on a day. */
export const Spending = Schema.Struct({
  date: Schema.String.annotations({ description: "The day of the calls in UTC" }),
  user_id: Schema.String.annotations({ description: "Whose tasks" }),
  agent: Schema.NullOr(Schema.String).annotations({ description: "The agent; null: the default one" }),
  model: Schema.String.annotations({ description: "The model" }),
  source: Schema.NullOr(Schema.String).annotations({ description: "What made the tasks; null: requests to the API" }),
  calls: Schema.Number.annotations({ description: "Calls of the model" }),
  unpriced_calls: Schema.Number.annotations({ description: "Those without a price, which count as 0" }),
  cost: Schema.Finite.annotations({ description: "What they cost" })
}).annotations({ identifier: "Spending" })
export type Spending = typeof Spending.Type

/** Who spends: whose task, and which agent works on it. */
export interface Spender {
  readonly creator: string
  readonly agent: string | null
}

/** One limit in one period. */
export interface AppliedLimit {
  readonly key: string
  readonly limit: number
}

/** `day`: such as 2026-11-28. The keys of limits name their period, so that a new one begins without a change. */
export const limitsFor = (
  { agents, person, team }: SpendingLimits,
  { agent, creator }: Spender,
  day: string
): ReadonlyArray<AppliedLimit> => {
  const periods = { day, month: day.slice(0, 7) }
  const of = (who: string, limits: typeof PeriodLimits.Type | undefined) =>
    (["day", "month"] as const).flatMap((period): ReadonlyArray<AppliedLimit> => {
      const limit = limits?.[period] ?? null
      return limit === null ? [] : [{ key: `${who}/${period}/${periods[period]}`, limit }]
    })
  return [
    ...of("team", team),
    ...of(`person:${creator}`, person),
    ...(agent === null ? [] : of(`agent:${agent}`, agents[agent]))
  ]
}

const parsed = (key: string) => {
  const [, who = "", period = "day", date = ""] = /^(.*)\/(day|month)\/([\d-]+)$/s.exec(key) ?? []
  return { who, period, date }
}

/** Whose limit of a person it is; null: the team's or an agent's. */
export const personOf = (key: string): string | null => {
  const { who } = parsed(key)
  return who.startsWith("person:") ? who.slice("person:".length) : null
}

/** "The spending limit of alice for 2026-11"; `name`: of the person, instead of the id. */
export const limitText = (key: string, name: string | null = null): string => {
  const { date, who } = parsed(key)
  const whose = who === "team" ? "the team" : name ?? personOf(key) ?? who.replace(/^agent:/, "the agent ")
  return `The spending limit of ${whose} for ${date}`
}

/** Whether the period of the limit is over. */
export const isOver = (key: string, day: string): boolean => {
  const { date, period } = parsed(key)
  return date < (period === "day" ? day : day.slice(0, 7))
}

export const spendingChoices = ["Go on", "Stop"] as const

const prefix = "spending:"

/** The call that a task paused by a limit waits for, in place of that of a tool. */
export const pauseCallOf = (key: string): string => `${prefix}${key}`

/** The limit for which a task waits; null: it waits for something else. */
export const pausedBy = (call: string | null): string | null =>
  call?.startsWith(prefix) === true ? call.slice(prefix.length) : null
