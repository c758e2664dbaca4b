import { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { oneLine, plural } from "@troupe/domain/Text"
import { type UnattendedWork, type WorkHealth, WorkKind, WorkState } from "@troupe/domain/Unattended"
import { Clock, Duration, Effect, Layer, Record, Schedule } from "effect"
import { makeNotifyAdmins } from "../../Delivery/AdminNotices.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { gauge } from "../../Runtime/Telemetry/Metrics.ts"
import type { ToolServerSettings } from "../../ToolServer/ToolServerSettings.ts"
import type { WebhookTypes } from "../Webhook/WebhookTypes.ts"
import { healthAfter, isNews } from "./Judgement.ts"
import { type LookOptions, makeLooks, type Seen } from "./UnattendedLook.ts"
import { type Known, makeUnattendedStatements } from "./UnattendedStatements.ts"

export interface UnattendedOptions extends LookOptions {
  /** The person whom a self-hosted service notifies; null: the owner and the admins are notified. */
  readonly admin: UserId | null
  /** Time after its first look in which a process reports nothing as late: runs that were missed while no service ran come first. */
  readonly grace?: Duration.DurationInput
}

type Needs = ScheduledJobs | SqlClient | ToolServerSettings | WebhookTypes

/**
 * Checks all unattended work every 30 seconds, in one process of the cluster. Notifies its owner, or owner and admins, once when
 * something is no longer ok, and once when it is ok again.
 */
export const layer = (options: UnattendedOptions): Layer.Layer<never, never, Needs> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    const { counts, look } = yield* makeUnattended(options)
    for (const kind of WorkKind.literals) {
      for (const state of WorkState.literals) {
        yield* unattended(() => counts.get(`${kind} ${state}`) ?? 0, { kind, state })
      }
    }
    yield* jobs.start({
      name: "unattended",
      scope: "cluster",
      schedule: Schedule.spaced("30 seconds"),
      run: asService(look)
    })
  }))

/** `counts`: of the last look of this process, by kind and state. */
export const makeUnattended = (options: UnattendedOptions) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const notify = yield* makeNotifyAdmins(options.admin)
    const statements = yield* makeUnattendedStatements
    const looks = yield* makeLooks(statements, options)
    const grace = Duration.toMillis(options.grace ?? "2 minutes")
    const counts = new Map<string, number>()
    let began: number | null = null

    const written = (work: Seen, found: NonNullable<Seen["finding"]>, before: Known | undefined, now: number) => {
      const health = healthAfter(before?.health ?? null, found, now)
      const isKept = before !== undefined && !isNews(before.health, health) &&
        before.last_event === work.deliveries.lastAt
        && before.silent_from === work.deliveries.silentFrom && now - before.looked < keptFor
      counts.set(`${work.kind} ${health.state}`, (counts.get(`${work.kind} ${health.state}`) ?? 0) + 1)
      if (isKept) return Effect.void
      return Effect.gen(function*() {
        const isFirst = yield* statements.write({ ...work, health }, before?.health ?? null, work.deliveries)
        const turns = ((before?.health.state ?? "ok") === "ok") !== (health.state === "ok")
        if (!isFirst || !turns) return
        const text = alarmText({ ...work, health }, before?.health ?? null)
        yield* Effect.logWarning(text.title).pipe(Effect.annotateLogs({ kind: work.kind, id: work.id }))
        yield* notify({ ...text, kind: "alarm", ...work.owner === null ? {} : { user: work.owner } })
      }).pipe(sql.withTransaction, Effect.orDie)
    }

    const look = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      began ??= now
      const isEarly = now - began < grace
      const all = yield* statements.known
      counts.clear()
      const ofKind = (kind: WorkKind) =>
        new Map(all.flatMap((one) => one.kind === kind ? [[one.id, one] as const] : []))
      const lookAt = Effect.fnUntraced(function*(kind: WorkKind) {
        const known = ofKind(kind)
        const seen = yield* looks[kind](known, now)
        for (const work of seen) {
          const before = known.get(work.id)
          known.delete(work.id)
          const { finding } = work
          if (finding === null || finding.state === "late" && isEarly) continue
          yield* written(work, finding, before, now)
        }
        // What is paused, deleted or not configured any more is not watched.
        yield* Effect.forEach(known.values(), statements.forget, { discard: true })
      })
      // A kind whose check fails does not keep the others from being checked.
      yield* Effect.validateAll(Record.keys(looks), (kind) => Effect.sandbox(lookAt(kind)), { discard: true })
    })
    return { look, counts }
  })

/** An unchanged health is written again after so many milliseconds, which shows that the checks still run. */
const keptFor = 300_000

const unattended = gauge(
  "troupe_unattended",
  "Schedules, webhook types, mailboxes and tool servers by their state, in the process that looks at them.",
  { kind: WorkKind.literals, state: WorkState.literals }
)

const whatOf = ({ kind, name }: Pick<UnattendedWork, "kind" | "name">): string => {
  const called = oneLine(name, 100)
  switch (kind) {
    case "schedule":
      return `Schedule "${called}"`
    case "webhook_type":
      return `Webhook type ${called}`
    case "mailbox":
      return `Mailbox ${called}`
    case "tool_server":
      return `Tool server ${called}`
  }
}

const places: Readonly<Record<WorkKind, string>> = {
  schedule: "Schedules",
  webhook_type: "Settings, Webhooks",
  mailbox: "Settings, Incoming mail",
  tool_server: "Tool servers"
}

const reasonOf = ({ health, kind }: Pick<UnattendedWork, "health" | "kind">): string => {
  const { failures_in_a_row: failures, last_ok_at: worked, missed, state } = health
  switch (state) {
    case "late":
      return kind === "mailbox"
        ? "No worker reads it. Check that one runs."
        : `${plural(missed, "run")} ${missed === 1 ? "is" : "are"} missing.`
    case "silent":
      return `Nothing was delivered for much longer than ever before${worked === null ? "" : `, since ${worked}`}.`
    default:
      return kind === "mailbox" || kind === "tool_server"
        ? `The connection fails${worked === null ? "" : `; it last worked at ${worked}`}.`
        : `${plural(failures, "failure")} in a row${worked === null ? "" : ` since ${worked}`}.`
  }
}

/** What is said once when unattended work turns from ok, and once when it is ok again. */
export const alarmText = (
  work: UnattendedWork,
  before: WorkHealth | null
): { readonly title: string; readonly body: string } => {
  const what = whatOf(work)
  const { last_error: error, state } = work.health
  if (state === "ok") {
    return {
      title: `${what} is ok again`,
      body: `It was ${before?.state ?? "not ok"}${before?.since ? ` since ${before.since}` : ""}.`
    }
  }
  return {
    title: `${what} is ${state}`,
    body: [
      reasonOf(work),
      ...(error === null ? [] : [`Last error: ${oneLine(error, 500).replace(/[.!?]?$/, ".")}`]),
      `See it in the console under ${places[work.kind]}. You are told once, and again when it works.`
    ].join(" ")
  }
}
