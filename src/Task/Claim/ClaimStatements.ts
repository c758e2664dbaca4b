import type { OpeningConversation } from "@troupe/domain/OpeningConversation"
import { eventOfChange } from "@troupe/domain/Subscription"
import type { TaskSourceKind, TaskStatus } from "@troupe/domain/Task"
import type { AgentFacts, AgentTask } from "../../Agent/AgentDependencies.ts"
import { type Audience, audienceOf } from "../../Delivery/Audience.ts"
import { eventFacts, outboxSignal, publishEvents, withTask } from "../../Delivery/Outbox.ts"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { stepTime } from "../Journal/JournalStatements.ts"
import { type ClaimKind, suspectQueue } from "../Row/ProcessDeaths.ts"
import { isOfGuest, requestSchedule, requestSource } from "../Row/RuleColumns.ts"
import { allows, statusAfter } from "../Row/StatusConditions.ts"
import { holdsShard, runnerEnded } from "./CandidateStatement.ts"

/** A claimed task: the facts for the loop, and the state with which its actor begins. */
export type ClaimRow = Omit<AgentTask, "limits" | "requester" | keyof AgentFacts> & {
  readonly epoch: number
  readonly seq: number
  readonly now: number
  readonly status: TaskStatus
  readonly progress: number
  readonly attempts: number
  readonly deaths: number
  readonly loneDeaths: number
  readonly claimKind: ClaimKind | null
  readonly inboxSent: number
  readonly context: string | null
  readonly conversation: OpeningConversation | null
  readonly attachments: ReadonlyArray<string>
  readonly maxIterations: number | null
  /** How long the task still counts as watched. */
  readonly watchedMillis: number
  readonly audience: Audience
  readonly title: string | null
  /** Of a subtask, that of the task which dispatched it; so is the schedule. */
  readonly source: TaskSourceKind | null
  /** A person has written its request, whatever made the earlier task. */
  readonly isContinuation: boolean
  readonly scheduleId: string | null
  readonly isOfGuest: boolean
  /** JSON of what its beginning shows its model beyond the request. */
  readonly shown: string | null
}

/** The value of each column of a claim; the table's constraints guard them, so that nothing decodes the row. */
const values: Readonly<Record<keyof ClaimRow, string>> = {
  taskId: "c.task_id::text",
  epoch: "c.epoch",
  seq: "c.seq",
  status: "c.status",
  progress: "c.progress",
  attempts: "c.attempts",
  creator: "c.creator",
  inboxSent: "c.inbox_sent",
  deaths: "c.process_deaths",
  loneDeaths: "c.lone_deaths",
  claimKind: "c.claim_kind",
  type: "t.task_type",
  agentType: "t.agent_type",
  agent: "t.agent",
  agentRevision: "t.agent_revision",
  agentText: "t.agent_text",
  toolAccess: "t.tool_access",
  input: "t.description",
  context: "t.context",
  conversation: "t.conversation::json",
  projectId: "t.project_id",
  attachments: "t.attachments",
  tokenBudget: "t.token_budget",
  maxCost: "t.max_cost",
  maxIterations: "t.max_iterations",
  now: "floor(extract(epoch from clock_timestamp()) * 1000)::float8",
  watchedMillis: "coalesce(extract(epoch from c.watched_until - now()) * 1000, 0)::float8",
  audience: audienceOf("t"),
  title: "t.title",
  source: requestSource("t"),
  isContinuation: "t.continued_from is not null",
  scheduleId: requestSchedule("t"),
  isOfGuest: isOfGuest("t"),
  shown: "t.shown"
}

const claimColumns = Object.entries(values).map(([name, value]) => `${value} as "${name}"`).join(", ")

/**
 * The holder of a held row has ended, unless its heartbeat is fresh. With this runner's own address, it was an earlier
 * process if older than this one (`$started`), else this one could not release the task, as in an outage.
 */
const claimKind = `case
        when a.runner is null then case
          when a.status = ${statusAfter("Retried")} and a.seq > 0 then 'retried'
          when a.queued_by = '${suspectQueue}' and $isAlone::boolean then 'alone' end
        when a.runner = $runner and a.updated_at >= $started::timestamptz then 'moved'
        when a.runner = $runner or ${runnerEnded("a.runner")} then 'recovered'
        else 'moved' end`

const deaths = `(claim_kind, process_deaths, lone_deaths, queued_by) = (
      select k.kind, a.process_deaths + k.died,
        a.lone_deaths + case when a.claim_kind = 'alone' and a.process_deaths > 1 then k.died else 0 end,
        case when a.process_deaths + k.died > 1 then '${suspectQueue}' else a.queued_by end
      from (select c.kind, (c.kind is not distinct from 'recovered')::integer as died
        from (select ${claimKind} as kind) c) k
    )`

/** A claim is the first one, or the first after a retry, if the task was pending before. */
const published = publishEvents({
  event: `'${eventOfChange("pending", "running")}'`,
  ...eventFacts("c"),
  at: "c.updated_at",
  ...withTask("claimed c", "c", "(c.seq = 1 or c.claim_kind = 'retried')")
})

/**
 * Claims the chosen ones (`$tasks`, at the epochs beside them) and queues others (`$queued`) here. Both are as they were
 * when they were read, and this runner still holds their shards, or they stay as they are. `$isAlone`: no other task here
 * counts a death.
 */
export const take = prepared(
  "claims_take",
  ["runner", "lockExpiration", "started", "tasks", "epochs", "queued", "isAlone"],
  `
with queued as (
  update actors a set queued_by = $runner
  where a.task_id = any($queued::uuid[]) and coalesce(a.wake_at, 'infinity') <= now() and ${holdsShard("a.shard")}
), claimed as (
  update actors a set
    epoch = a.epoch + 1, seq = a.seq + 1, attempts = a.attempts + (a.runner is null)::integer,
    updated_at = ${stepTime}, ${deaths},
    status = ${statusAfter("Claimed")}, last_tool_call_id = null,
    started_at = coalesce(a.started_at, ${stepTime}),
    runner = $runner, leased_until = null, job_seq = a.seq + 1
  where a.task_id = any($tasks::uuid[]) and a.epoch = ($epochs::integer[])[array_position($tasks::uuid[], a.task_id)]
    and coalesce(a.wake_at, 'infinity') <= now() and ${allows("Claimed", "a.status")} and ${holdsShard("a.shard")}
  returning a.*
), logged as (
  insert into steps (task_id, seq, at, body)
  select c.task_id, c.seq, c.updated_at, format('{"kind":"woken","epoch":%s,"reason":"%s","runner":%s%s}', c.epoch,
    case when c.seq = 1 then 'first' when c.attempts > 1 or c.process_deaths > 0 then 'recovery'
      when c.claim_kind = 'retried' then 'retry' else 'resume' end,
    to_json(c.runner), case when c.claim_kind = 'recovered' then format(',"deaths":%s', c.process_deaths) end)
  from claimed c
), events as (
  ${published}
)
select ${claimColumns}, extract(epoch from now() - c.wake_at)::float8 as waited, ${outboxSignal("events")} as published
from claimed c cross join lateral (select * from tasks where id = c.task_id limit 1) t`
)

/** The database's time at the precision of `actors.updated_at`, rounded down. */
export const clock = prepared("claims_clock", [], "select date_trunc('milliseconds', now())::text as now")

export const release = prepared(
  "claims_release",
  ["tasks", "epochs", "origin"],
  `
with released as (
  update actors a set attempts = greatest(0, a.attempts - 1), runner = null
  from unnest($tasks::uuid[], $epochs::integer[]) as h(task_id, epoch)
  where a.task_id = h.task_id and a.epoch = h.epoch and a.wake_at is not null
  returning a.shard
)
select pg_notify('troupe_wake', $origin::text || ' ' || string_agg(distinct shard::text, ' '))
from released where $origin::text is not null having count(*) > 0`
)

/** The runs of these claims go on for `$seconds` without their shards: no other runner claims the tasks meanwhile. */
export const lease = prepared(
  "claims_lease",
  ["tasks", "epochs", "seconds"],
  `
update actors a set leased_until = now() + make_interval(secs => $seconds::float8)
from unnest($tasks::uuid[], $epochs::integer[]) as h(task_id, epoch)
where a.task_id = h.task_id and a.epoch = h.epoch and a.runner is not null`
)

export const stale = prepared(
  "claims_stale",
  ["tasks", "epochs"],
  `
select h.task_id::text from unnest($tasks::uuid[], $epochs::integer[]) as h(task_id, epoch)
left join actors a on a.task_id = h.task_id
where a.epoch is distinct from h.epoch`
)
