import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Schedule } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Details } from "../../parts/Details.tsx"
import { FactList } from "../../parts/FactList.tsx"
import { HealthBadge } from "../../parts/HealthBadge.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { chosenTime, Time } from "../../parts/Time.tsx"
import { scheduleQuery, scheduleTasksQuery } from "../../service/ScheduleQueries.ts"
import { UserName } from "../people/UserName.tsx"
import { ScheduleActions } from "./ScheduleActions.tsx"
import { ScheduleForm } from "./ScheduleForm.tsx"
import { recurrenceText, ScheduleState } from "./ScheduleState.tsx"

const NextRuns = ({ runs, zone }: { readonly runs: ReadonlyArray<string>; readonly zone: string }) => (
  <section>
    <h3 className="font-semibold">
      Next runs <span className="text-xs font-normal text-muted">{zone} time</span>
    </h3>
    {runs.length === 0 ?
      <p className="text-muted">None: it is paused or done.</p> :
      (
        <ol className="mt-1 divide-y rounded-md border">
          {runs.map((at) => (
            <li key={at} className="flex justify-between gap-3 px-2.5 py-1">
              <span>{chosenTime(at, zone)}</span>
              <Time at={at} className="text-muted" />
            </li>
          ))}
        </ol>
      )}
  </section>
)

/** The tasks that it made before. */
const History = ({ id }: { readonly id: string }) => {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery(
    scheduleTasksQuery(id)
  )
  const tasks = data?.pages.flatMap(({ items }) => items)
  return (
    <section>
      <h3 className="font-semibold">Its tasks</h3>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {tasks?.length === 0 && <p className="text-muted">None yet. “Run now” makes one.</p>}
      {tasks !== undefined && tasks.length > 0 && (
        <ul aria-label="Its tasks" className="mt-1 divide-y rounded-md border">
          {tasks.map((task) => (
            <li key={task.id} className="flex items-center gap-3 px-2.5 py-1">
              <Link
                to="/tasks/$taskId"
                params={{ taskId: task.id }}
                className="min-w-0 flex-1 truncate hover:underline"
              >
                {task.title}
              </Link>
              <StatusBadge task={task} className="shrink-0" />
              <Time at={task.created_at} className="shrink-0 text-muted" />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button
          size="small"
          className="mt-2"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show earlier tasks
        </Button>
      )}
    </section>
  )
}

const Content = ({ onClose, onEdit, schedule }: {
  readonly schedule: Schedule
  readonly onClose: () => void
  readonly onEdit: () => void
}) => (
  <div className="flex flex-col gap-4">
    <div className="flex flex-wrap items-center justify-between gap-2">
      <span className="flex items-center gap-2">
        <ScheduleState status={schedule.status} />
        <HealthBadge health={schedule.health} />
      </span>
      <ScheduleActions schedule={schedule} onEdit={onEdit} onRemoved={onClose} />
    </div>
    <FactList
      facts={{
        When: recurrenceText(schedule),
        Cron: schedule.cron === null ? null : <code className="font-mono text-xs">{schedule.cron}</code>,
        "Time zone": schedule.timezone,
        Makes: schedule.kind === "task" ? "A task" : "A reminder",
        For: <UserName id={schedule.user_id} />,
        Channel: schedule.channel_id,
        Agent: schedule.agent,
        Expects: schedule.expects === null ? null : "New output in each run",
        "Cost limit": schedule.max_cost === null ? null : `${schedule.max_cost} a run`,
        "Last error": schedule.health.last_error,
        "Last run": schedule.last_run_at === null ? "Never" : <Time at={schedule.last_run_at} />,
        Created: <Time at={schedule.created_at} />
      }}
    />
    <section>
      <h3 className="font-semibold">{schedule.kind === "task" ? "What the agent does" : "Text"}</h3>
      <RichText isTyped text={schedule.message} />
    </section>
    <NextRuns runs={schedule.next_runs} zone={schedule.timezone} />
    {schedule.kind === "task" && <History id={schedule.id} />}
  </div>
)

/** All about one schedule, and what can be done with it. */
export const ScheduleDetails = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const schedule = useQuery(scheduleQuery(id))
  const [isEdited, setIsEdited] = useState(false)
  return isEdited && schedule.data !== undefined
    ? <ScheduleForm schedule={schedule.data} onClose={() => setIsEdited(false)} />
    : (
      <Details name="schedule" titleOf={({ title }) => title} query={schedule} width="max-w-2xl" onClose={onClose}>
        {(schedule) => <Content schedule={schedule} onClose={onClose} onEdit={() => setIsEdited(true)} />}
      </Details>
    )
}
