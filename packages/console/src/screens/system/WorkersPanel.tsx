import { Link } from "@tanstack/react-router"
import type { WorkerHealth } from "@troupe/client"
import { CopyText } from "../../parts/CopyText.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { counted, plural } from "../../parts/Plural.ts"
import { durationText, Time } from "../../parts/Time.tsx"
import { SystemTable } from "./SystemTable.tsx"

/** What is due and which of it has waited the longest. */
const Due = ({ report: { backlog_seconds, oldest_pending, pending_jobs } }: { readonly report: WorkerHealth }) => (
  <span className="text-muted">
    {pending_jobs === 0 ? "No task waits for a worker" : `${plural(pending_jobs, "task", counted)} due and not claimed`}
    {oldest_pending !== null && (
      <>
        , the oldest since{" "}
        <Link
          to="/tasks/$taskId"
          params={{ taskId: oldest_pending.task_id }}
          className="text-accent underline underline-offset-2"
        >
          <Time at={oldest_pending.since} />
        </Link>
      </>
    )}
    {pending_jobs > 0 && (
      backlog_seconds === null
        ? ". No task has ended in the last ten minutes"
        : backlog_seconds >= 60 &&
          `. At the pace of the last ten minutes, they take about ${durationText(backlog_seconds * 1_000)}`
    )}
  </span>
)

/** The processes that run tasks, and what waits for them. */
export const WorkersPanel = ({ report }: { readonly report: WorkerHealth }) => (
  <Panel title="Workers" actions={<Due report={report} />}>
    {report.runners.length === 0
      ? (
        <div className="flex flex-col gap-2">
          <p>No worker runs, so no task goes on. This starts one:</p>
          <CopyText label="the command that starts a worker" text="npm start -- worker" />
        </div>
      )
      : (
        <SystemTable
          label="Workers"
          headings={["Address", "Shards", "Tasks running", "Tasks queued to it", "Last heartbeat"]}
          hints={{
            Shards: "The tasks are divided into shards; one worker at a time runs those of a shard",
            "Tasks queued to it": "Due tasks for which it has no free slot; those that wait for an answer are not due"
          }}
          rows={report.runners.map(({ active_tasks, address, last_seen_at, queued_tasks, shards }) => ({
            key: address,
            cells: [
              <code key="address" className="font-mono text-xs">{address}</code>,
              shards,
              active_tasks,
              counted(queued_tasks),
              last_seen_at === null ? "Not yet" : <Time key="seen" at={last_seen_at} />
            ]
          }))}
        />
      )}
  </Panel>
)
