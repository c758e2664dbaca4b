import type { LimitsReport, SpendingLimits } from "@troupe/client"

type Spent = LimitsReport["spent"]["team"]

/** What is typed as limits of one of those that spend; an empty text is no limit. */
export interface LimitRow {
  readonly of: "agent" | "person" | "team"
  /** Of an agent. */
  readonly name: string
  readonly day: string
  readonly month: string
  /** Null for each person: what people spend is not one sum. */
  readonly spent: Spent | null
}

const textOf = (amount: number | null | undefined) => amount === null || amount === undefined ? "" : String(amount)

/** A row for the team, for each person, and for each agent that is known or has a limit or has spent something. */
export const limitRows = (
  { agents, person, spent, team }: LimitsReport,
  known: ReadonlyArray<string>
): ReadonlyArray<LimitRow> => [
  { of: "team", name: "", day: textOf(team.day), month: textOf(team.month), spent: spent.team },
  { of: "person", name: "", day: textOf(person.day), month: textOf(person.month), spent: null },
  ...[...new Set([...known, ...Object.keys(agents), ...Object.keys(spent.agents)])].toSorted().map((name) => ({
    of: "agent" as const,
    name,
    day: textOf(agents[name]?.day),
    month: textOf(agents[name]?.month),
    spent: spent.agents[name] ?? { day: 0, month: 0 }
  }))
]

/** Why a text is no amount. */
export const amountFault = (text: string): string | undefined =>
  text.trim() === "" || (Number.isFinite(Number(text)) && Number(text) >= 0) ? undefined : "Must be a number from 0"

const amountOf = (text: string) => text.trim() === "" ? null : Number(text)

export const limitsOf = (rows: ReadonlyArray<LimitRow>): SpendingLimits => {
  const periods = ({ day, month }: Pick<LimitRow, "day" | "month">) => ({ day: amountOf(day), month: amountOf(month) })
  const of = (whose: LimitRow["of"]) => periods(rows.find((row) => row.of === whose) ?? { day: "", month: "" })
  const agents = rows.filter((row) => row.of === "agent" && (row.day + row.month).trim() !== "")
  return {
    team: of("team"),
    person: of("person"),
    agents: Object.fromEntries(agents.map((row) => [row.name, periods(row)]))
  }
}
