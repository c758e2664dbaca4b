import { inboxJob } from "@troupe/api/Worker"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import { Step } from "@troupe/domain/Step"
import { firstLineOf, titleOf } from "@troupe/domain/Text"
import type { UnattendedWork } from "@troupe/domain/Unattended"
import { DateTime, Effect, Schema } from "effect"
import { makeExpiringMap } from "../../Runtime/Cache.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { ToolServerSettings } from "../../ToolServer/ToolServerSettings.ts"
import { nextRuns } from "../Schedule/CronText.ts"
import { zoneOf } from "../Schedule/ScheduleRow.ts"
import { WebhookTypes } from "../Webhook/WebhookTypes.ts"
import { anyResult, expectingOutput, outputKey } from "./ExpectedOutput.ts"
import {
  connectionFinding,
  type Deliveries,
  failingFrom,
  type Finding,
  mailboxFinding,
  millisOf,
  noDeliveries,
  scheduleFinding,
  webhookFinding,
  withDeliveries
} from "./Judgement.ts"
import type { Known, makeUnattendedStatements, WatchedSchedule } from "./UnattendedStatements.ts"

/** What a look has found. Without a finding: nothing new is known. */
export interface Seen extends Omit<UnattendedWork, "health"> {
  readonly owner: UserId | null
  readonly finding: Finding | null
  readonly deliveries: Deliveries
}

/** The mailbox of the settings; null: none. */
export interface WatchedMailbox {
  readonly name: string
  readonly intervalMillis: number
}

export interface LookOptions {
  readonly mailbox: () => WatchedMailbox | null
}

type Statements = Effect.Effect.Success<typeof makeUnattendedStatements>

/** Looks at all unattended work of a kind; `known`: what the last look has found of it, by id. */
type Look = (known: ReadonlyMap<string, Known>, now: number) => Effect.Effect<ReadonlyArray<Seen>>

const page = 200
const firstId = "00000000-0000-0000-0000-000000000000"

const scheduleLook = (statements: Statements): Look => {
  const keys = makeExpiringMap<TaskId, string | null>({ capacity: 10_000, timeToLive: "1 hour" })

  const keysOf = Effect.fnUntraced(function*(tasks: ReadonlyArray<TaskId>) {
    const found = new Map<string, string | null>()
    const missing: Array<TaskId> = []
    for (const id of tasks) {
      const kept = yield* keys.get(id)
      if (kept._tag === "Some") found.set(id, kept.value)
      else missing.push(id)
    }
    for (const { body, id } of missing.length === 0 ? [] : yield* statements.ends(missing)) {
      const step = yield* Effect.option(decodeStep(body))
      // This version can't read the step of another one: it is not judged.
      if (step._tag === "None") continue
      const key = outputKey(step.value)
      found.set(id, key)
      yield* keys.set(id, key)
    }
    return found
  })

  const seenOf = Effect.fnUntraced(function*(schedule: WatchedSchedule, now: number) {
    const { cron, expects, failures, id, kind, last_run, message, next_run, results, timezone, title, user_id } =
      schedule
    const completed = expects === null ? [] : results.flatMap(({ hasFailed, id }) => hasFailed ? [] : [id])
    const finding = scheduleFinding({
      nextRunAt: next_run,
      recurs: cron !== null,
      following: cron === null || next_run === null || next_run > now
        ? []
        : nextRuns(cron, { after: DateTime.unsafeMake(next_run), zone: zoneOf(timezone), count: 100 })
          .map(DateTime.toEpochMillis),
      attempts: failures,
      remindedAt: kind === "reminder" ? last_run : null,
      results: expects === null ? anyResult(results) : expectingOutput(results, yield* keysOf(completed))
    }, now)
    const name = titleOf({ title, description: message })
    return { kind: "schedule" as const, id, name, owner: user_id, finding, deliveries: noDeliveries }
  })

  return Effect.fnUntraced(function*(_, now) {
    const seen: Array<Seen> = []
    let last: string = firstId
    while (true) {
      const found = yield* statements.schedules(last, page)
      for (const schedule of found) seen.push(yield* seenOf(schedule, now))
      const end = found.at(-1)
      if (end === undefined || found.length < page) return seen
      last = end.id
    }
  })
}

const decodeStep = Schema.decodeUnknown(Schema.parseJson(Step))

const day = 86_400_000

/** After so long, a type of which nothing is kept any more is no longer waited for. */
const forgottenAfter = 30 * day

const webhookLook = (statements: Statements, types: WebhookTypes["Type"]): Look =>
  Effect.fnUntraced(function*(known, now) {
    const listed = new Map((yield* types.list).map(({ last_delivery_at, type }) => [type, last_delivery_at] as const))
    const names = new Set([...listed.keys(), ...known.keys()])
    return yield* Effect.forEach(names, (type): Effect.Effect<ReadonlyArray<Seen>> =>
      Effect.gen(function*() {
        const before = known.get(type)
        const at = listed.get(type)
        const remembered = before === undefined
          ? noDeliveries
          : { lastAt: before.last_event, silentFrom: before.silent_from, longestGap: before.longest_gap }
        const isNewer = typeof at === "string" && (remembered.lastAt === null || millisOf(at) > remembered.lastAt)
        const newer = isNewer ? (yield* statements.deliveries(type, remembered.lastAt)).map(({ at }) => at) : []
        const deliveries = withDeliveries(remembered, newer, { now, lookedAt: before?.looked ?? null })
        const isForgotten = at === undefined && (deliveries.lastAt === null || now - deliveries.lastAt > forgottenAfter)
        if (isForgotten) return []
        const [row] = yield* statements.ofWebhooks(type)
        const finding = webhookFinding(deliveries, anyResult(row?.results ?? []), now)
        return [{ kind: "webhook_type", id: type, name: type, owner: null, finding, deliveries }]
      })).pipe(Effect.map((found) => found.flat()))
  })

const mailboxLook = (jobs: ScheduledJobs["Type"], options: LookOptions): Look =>
  Effect.fnUntraced(function*(known, now) {
    const mailbox = options.mailbox()
    if (mailbox === null) return []
    const { intervalMillis: interval, name } = mailbox
    const before = known.get(name)
    const job = (yield* Effect.orDie(jobs.report)).find((one) => one.name === inboxJob)
    const last = job?.last_run_at ?? null
    const readAt = last === null ? before?.last_event ?? now : millisOf(last)
    const isNew = last !== null && before?.last_event !== readAt
    const failures = before?.health.failures_in_a_row ?? 0
    const error = isNew ? job?.last_error ?? null : before?.health.last_error ?? null
    const finding = mailboxFinding({
      readAt,
      interval,
      error,
      failures: !isNew ? failures : error === null ? 0 : Math.min(20, failures + 1)
    }, now)
    return [{
      kind: "mailbox",
      id: name,
      name,
      owner: null,
      finding,
      deliveries: { ...noDeliveries, lastAt: readAt }
    }]
  })

const connectionLook = (servers: ToolServerSettings["Type"]): Look => (known, now) =>
  Effect.map(
    servers.status,
    ({ servers }) =>
      servers.filter(({ status }) => status !== "disabled").map(({ error, name, per_user, status }): Seen => {
        const before = known.get(name)?.health
        // Where each person signs in, nobody's missing sign-in is a fault of the connection.
        const isUp = status === "connected" || per_user === true && status === "needs_sign_in"
        const isKnown = isUp || status === "failed"
          // It was signed in at before.
          || status !== "connecting" && before !== undefined && before.last_ok_at !== null
        const reason = isUp
          ? null
          : firstLineOf(error ?? `Its state is ${status.replaceAll("_", " ")}.`)
        // A look has no more to tell of a connection that is failing.
        const failures = Math.min(failingFrom, (before?.failures_in_a_row ?? 0) + 1)
        return {
          kind: "tool_server",
          id: name,
          name,
          owner: null,
          finding: isKnown ? connectionFinding(reason, failures, now) : null,
          deliveries: noDeliveries
        }
      })
  )

/** How each kind is looked at. */
export const makeLooks = (statements: Statements, options: LookOptions) =>
  Effect.map(Effect.all([ScheduledJobs, ToolServerSettings, WebhookTypes]), ([jobs, servers, types]) => ({
    schedule: scheduleLook(statements),
    webhook_type: webhookLook(statements, types),
    mailbox: mailboxLook(jobs, options),
    tool_server: connectionLook(servers)
  }))
