import type { WorkerHealth } from "@troupe/client"
import { Panel } from "../../parts/Panel.tsx"
import { plural } from "../../parts/Plural.ts"
import { Time } from "../../parts/Time.tsx"
import { SystemTable } from "./SystemTable.tsx"

/** The processes that run tasks, and what waits for them. */
export const WorkersPanel = ({ report: { pending_jobs, runners } }: { readonly report: WorkerHealth }) => (
  <Panel
    title="Workers"
    actions={<span className="text-muted">{plural(pending_jobs, "task")} due and not claimed</span>}
  >
    {runners.length === 0
      ? (
        <p>
          No worker runs, so no task goes on. Start one with <code className="font-mono">npm start -- worker</code>.
        </p>
      )
      : (
        <SystemTable
          label="Workers"
          headings={["Address", "Shards", "Tasks it runs", "Last heartbeat"]}
          rows={runners.map(({ active_tasks, address, last_seen_at, shards }) => ({
            key: address,
            cells: [
              <code key="address" className="font-mono text-xs">{address}</code>,
              shards,
              active_tasks,
              last_seen_at === null ? "Not yet" : <Time key="seen" at={last_seen_at} />
            ]
          }))}
        />
      )}
  </Panel>
)
