import type { WorkerHealth } from "@troupe/client"
import { Panel } from "../../parts/Panel.tsx"
import { Time, useClock } from "../../parts/Time.tsx"
import { SystemTable } from "./SystemTable.tsx"

const scopes = { process: "In every process", cluster: "Once in the cluster" } as const

const NextRun = ({ at }: { readonly at: string }) =>
  useClock((now) => Date.parse(at) <= now) ? "Due now" : <Time at={at} className="whitespace-nowrap" />

/** What the service does by itself at set times. */
export const JobsPanel = ({ jobs }: { readonly jobs: WorkerHealth["scheduled_jobs"] }) => (
  <Panel title="Scheduled jobs">
    {jobs.length === 0 ? <p className="text-muted">No process has reported its jobs yet.</p> : (
      <SystemTable
        label="Scheduled jobs"
        headings={["Job", "Runs in", "Last run", "Next run", "Last error"]}
        rows={jobs.map(({ last_error, last_run_at, name, next_run_at, scope }) => ({
          key: name,
          cells: [
            <span key="name" className="inline-block font-medium whitespace-nowrap first-letter:uppercase">
              {name.replaceAll("_", " ")}
            </span>,
            <span key="scope" className="whitespace-nowrap">{scopes[scope]}</span>,
            last_run_at === null ? "Not yet" : <Time key="last" at={last_run_at} className="whitespace-nowrap" />,
            next_run_at === null ? "Unknown" : <NextRun key="next" at={next_run_at} />,
            last_error === null
              ? <span key="error" className="text-muted">None</span>
              : <span key="error" className="break-words text-bad">{last_error}</span>
          ]
        }))}
      />
    )}
  </Panel>
)
