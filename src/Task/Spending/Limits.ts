import type { SqlClient } from "@effect/sql/SqlClient"
import type { LimitsReport, Spent } from "@troupe/api/LimitsApi"
import { rounded } from "@troupe/domain/ModelPrice"
import { LimitsInvalid, noLimits, type Spending, type SpendingLimits } from "@troupe/domain/Spending"
import { Context, DateTime, Effect, Layer } from "effect"
import { Agents } from "../../Agent/Definition/Agents.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { makeSpendingStatements } from "./SpendingStatements.ts"

/** `own`: MAX_COST_PER_DAY, the limit of the team where none is stored. */
export const withSetting = (limits: SpendingLimits, own: number | null): SpendingLimits =>
  limits.team.day === null ? { ...limits, team: { ...limits.team, day: own } } : limits

/** A form sends back all limits that it shows. One that equals the setting is not stored, so that it keeps following the setting. */
const withoutSetting = (limits: SpendingLimits, own: number | null): SpendingLimits =>
  limits.team.day === own ? { ...limits, team: { ...limits.team, day: null } } : limits

const plus = (one: Spent, other: Spent): Spent => ({
  day: rounded(one.day + other.day),
  month: rounded(one.month + other.month)
})

/** The spending limits, and what was spent. */
export class Limits extends Context.Tag("troupe/Task/Spending/Limits")<Limits, {
  readonly find: Effect.Effect<LimitsReport>
  /** Replaces them all; every process keeps to them within some seconds. */
  readonly change: (limits: SpendingLimits) => Effect.Effect<LimitsReport, LimitsInvalid>
  /** By day, person, agent, model and source, of one person or of all, newest first. */
  readonly spending: (of: {
    readonly user: string | null
    readonly from: string | null
    readonly to: string | null
  }) => Effect.Effect<ReadonlyArray<Spending>>
}>() {
  static readonly layer = (
    options: {
      /** Read at each use. */
      readonly maxCostPerDay: number | null
    }
  ): Layer.Layer<Limits, never, Agents | Signals | SqlClient> =>
    Layer.effect(
      this,
      Effect.map(
        Effect.all([makeSpendingStatements(null), Agents, Signals]),
        ([statements, agents, { origin, send }]) => {
          const find = asService(Effect.gen(function*() {
            const [stored] = yield* statements.limits
            const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
            const [unpriced] = yield* statements.unpriced(today)
            const sums = yield* statements.sums(today)
            const none: Spent = { day: 0, month: 0 }
            const people: Record<string, Spent> = {}
            const agents: Record<string, Spent> = {}
            for (const { agent, day, month, user_id } of sums) {
              people[user_id] = plus(people[user_id] ?? none, { day, month })
              if (agent !== null) agents[agent] = plus(agents[agent] ?? none, { day, month })
            }
            return {
              ...withSetting(stored?.limits ?? noLimits, options.maxCostPerDay),
              spent: { team: Object.values(people).reduce(plus, none), people, agents },
              unpriced_calls: unpriced ?? { day: 0, month: 0 }
            }
          }))
          /** The limits by the exact names of the agents. A deleted agent keeps its limit, because its tasks may still run. */
          const named = Effect.fnUntraced(function*(given: SpendingLimits["agents"]) {
            const known = yield* find
            return Object.fromEntries(
              yield* Effect.forEach(Object.entries(given), ([name, limits]) =>
                Effect.matchEffect(agents.find(name), {
                  onSuccess: (agent) => Effect.succeed([agent.name, limits] as const),
                  onFailure: ({ message }) =>
                    Object.hasOwn({ ...known.agents, ...known.spent.agents }, name)
                      ? Effect.succeed([name, limits] as const)
                      : new LimitsInvalid({ path: `agents.${name}`, reason: message })
                }))
            )
          })
          return Limits.of({
            find,
            change: Effect.fn("Limits.change")(function*(limits: SpendingLimits) {
              const stored = withoutSetting({ ...limits, agents: yield* named(limits.agents) }, options.maxCostPerDay)
              yield* asService(Effect.orDie(statements.setLimits(stored, origin)))
              send("troupe_settings")
              return yield* find
            }),
            spending: ({ from, to, user }) => asService(statements.report(user, from, to))
          })
        }
      )
    )
}
