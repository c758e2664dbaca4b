import type { SqlClient } from "@effect/sql/SqlClient"
import { isOver, limitsFor, noLimits, pauseCallOf, pausedBy, type SpendingLimits } from "@troupe/domain/Spending"
import { DateTime, Effect, Layer, Schedule, Stream } from "effect"
import { SpendingLimit } from "../../Agent/Spending.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import type { PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { makeResume } from "../Command/ResumePaused.ts"
import type { TaskSignals } from "../Row/TaskSignals.ts"
import { withSetting } from "./Limits.ts"
import { makeSpendingStatements } from "./SpendingStatements.ts"
import { SpentSums } from "./SpentSums.ts"

export interface SpendingOptions {
  /** MAX_COST_PER_DAY: the limit of the team where none is stored. Read at each run. */
  readonly maxCostPerDay: number | null
  /** Who decides of a self-hosted service; null: owner and admins. */
  readonly admin: string | null
}

const hasLimits = ({ agents, person, team }: SpendingLimits): boolean =>
  [team, person, ...Object.values(agents)].some(({ day, month }) => day !== null || month !== null)

/** The share of a limit from which owner and admins are warned. */
const warnFrom = 0.8

const period = "2 seconds"

/** Milliseconds between two reads of the limits while there are none and nothing is to be written. A change of them is signalled. */
const idlePeriod = 30_000

/** Milliseconds between two searches for tasks that a crashed process has paused. */
const searchEvery = 60_000

/**
 * Keeps what this process spends within the limits of the team, each person and each agent. What it knows of the other processes is
 * at most some seconds old: together they may exceed a limit by what they spend in these seconds.
 */
export const layer = (
  options: SpendingOptions
): Layer.Layer<never, never, PreparedStatements | ScheduledJobs | Signals | SqlClient | TaskSignals> =>
  Layer.scoped(
    SpendingLimit,
    Effect.gen(function*() {
      const statements = yield* makeSpendingStatements(options.admin)
      const resumeFor = yield* makeResume
      const jobs = yield* ScheduledJobs
      const { receive } = yield* Signals
      const clock = yield* Effect.clock
      const today = () => DateTime.formatIsoDateUtc(DateTime.unsafeMake(clock.unsafeCurrentTimeMillis()))
      const nothing = { limits: withSetting(noLimits, options.maxCostPerDay), sums: new Map(), decisions: new Map() }
      const spent = new SpentSums(nothing, today)

      const write = Effect.suspend(() => {
        const unwritten = spent.unwritten()
        return unwritten.length === 0 ? Effect.succeed(unwritten) : Effect.as(statements.add(unwritten), unwritten)
      })

      /** The sums of limits by their keys, with the limits. */
      const sumsOf = (limits: SpendingLimits, day: string) =>
        Effect.map(hasLimits(limits) ? statements.sums(day) : Effect.succeed([]), (rows) => {
          const sums = new Map<string, { readonly limit: number; readonly sum: number }>()
          for (const { agent, day: ofDay, month, user_id: creator } of rows) {
            for (const { key, limit } of limitsFor(limits, { creator, agent }, day)) {
              const sum = (sums.get(key)?.sum ?? 0) + (key.endsWith(`/day/${day}`) ? ofDay : month)
              sums.set(key, { limit, sum })
            }
          }
          return sums
        })

      const resume = (key: string) => resumeFor(pauseCallOf(key))

      let searched = Number.NEGATIVE_INFINITY
      /** The limits of all paused tasks in the database: a process may crash before it has asked about the one that paused a task. */
      const paused = Effect.suspend(() => {
        const now = clock.unsafeCurrentTimeMillis()
        if (now < searched + searchEvery) return Effect.succeed([])
        searched = now
        return Effect.map(statements.paused, (rows) => rows.flatMap(({ call }) => pausedBy(call) ?? []))
      })

      const limitsSeen = new Map<string, number | null>()
      /** Of tasks that another process has paused, or an earlier one: they go on once for each limit that is not spent. */
      const isRaised = (key: string, known: { readonly limit: number; readonly sum: number } | undefined) => {
        const limit = known?.limit ?? null
        const isNew = limitsSeen.get(key) !== limit
        limitsSeen.set(key, limit)
        return isNew && (known === undefined || known.sum < known.limit)
      }

      let readAt = Number.NEGATIVE_INFINITY
      let isWatched = false
      const run = Effect.gen(function*() {
        const now = clock.unsafeCurrentTimeMillis()
        if (!isWatched && now < readAt + idlePeriod && !spent.hasUnwritten) return
        readAt = now
        const day = today()
        const written = yield* write
        const [stored] = yield* statements.limitsAndMarks(day)
        const limits = withSetting(stored?.limits ?? noLimits, options.maxCostPerDay)
        const marks = stored?.marks ?? []
        isWatched = hasLimits(limits) || marks.some(({ isAsked, isResumed }) => isAsked && !isResumed)
        const sums = yield* sumsOf(limits, day)
        spent.learn({
          limits,
          sums: new Map([...sums].map(([key, { sum }]) => [key, sum])),
          decisions: new Map(marks.flatMap(({ decision, key }) => decision === null ? [] : [[key, decision]]))
        }, written)
        const warned = new Set(marks.flatMap(({ isWarned, key }) => isWarned ? [key] : []))
        for (const [key, { limit, sum }] of sums) {
          if (sum < limit * warnFrom || warned.has(key) || (yield* statements.warn(key)).length === 0) continue
          yield* statements.notify(
            key,
            "near",
            `${Number(sum.toPrecision(3))} of ${limit} are spent. Calls of models without a price count as 0.`
          )
        }
        for (const key of new Set([...spent.takeReached(), ...(yield* paused)])) {
          const [mark] = yield* statements.ask(key)
          if (mark?.isFirst !== true || isOver(key, day)) continue
          yield* statements.notify(
            key,
            "reached",
            "All tasks under it wait. Answer one of them with \"Go on\", which lifts the limit for this period, or with \"Stop\"; "
              + "or change the limits. Otherwise they go on with the next period."
          )
        }
        for (const { decision, isAsked, isResumed, key } of marks) {
          if (!isAsked || isResumed) continue
          const isOpen = decision !== null || isOver(key, day) || (spent.hasRoom(key) ?? isRaised(key, sums.get(key)))
          if (!isOpen) continue
          spent.resumed(key)
          yield* resume(key)
          yield* statements.resumed(key)
        }
      })
      // The limits hold from the first task on.
      yield* Effect.catchAllCause(
        asService(run),
        (cause) => Effect.logWarning("Reading the spending limits failed; next attempt in 2 s", cause)
      )
      yield* Effect.addFinalizer(() => Effect.ignoreLogged(asService(write)))
      yield* jobs.start({
        name: "spending",
        scope: "process",
        schedule: Schedule.spaced(period),
        wakeUps: Stream.tap(receive("troupe_settings"), () => Effect.sync(() => readAt = Number.NEGATIVE_INFINITY)),
        run: asService(run)
      })
      return {
        reserve: (of, amount) => spent.reserve(of, amount),
        spent: (of, cost) => spent.spent(of, cost)
      }
    })
  )
