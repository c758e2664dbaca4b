import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { Schedule } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { HealthBadge } from "../../parts/HealthBadge.tsx"
import { CalendarClock, Plus } from "../../parts/Icons.ts"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { StateTabs } from "../../parts/StateTabs.tsx"
import { type Column, rowTargetLook } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { schedulesQuery } from "../../service/ScheduleQueries.ts"
import { ScheduleDetails } from "./ScheduleDetails.tsx"
import { ScheduleForm } from "./ScheduleForm.tsx"
import { recurrenceText, ScheduleState, scheduleStates } from "./ScheduleState.tsx"

const route = getRouteApi("/schedules")

const NoSchedules = ({ isFiltered, onNew }: { readonly isFiltered: boolean; readonly onNew: () => void }) => (
  <Empty icon={CalendarClock} title={isFiltered ? "No schedule in this state" : "No schedules yet"}>
    {!isFiltered && (
      <>
        <p>
          A schedule makes a task, or reminds somebody, once or repeatedly: “every weekday at 9”, “last Friday of the
          month”, “tomorrow at 14:30”. People can also ask for one in the team chat.
        </p>
        <Button kind="primary" className="mt-3" onClick={onNew}>Make a schedule</Button>
      </>
    )}
  </Empty>
)

const SchedulesScreen = () => {
  const { schedule: opened, ...filter } = route.useSearch()
  const navigate = route.useNavigate()
  const [isNew, setIsNew] = useState(false)
  const schedules = useInfiniteQuery(schedulesQuery(filter))
  const columns: ReadonlyArray<Column<Schedule>> = [
    {
      name: "Schedule",
      cell: ({ id, title }) => (
        <Link to="/schedules" search={{ ...filter, schedule: id }} replace className={rowTargetLook}>{title}</Link>
      )
    },
    {
      name: "When",
      className: "w-72 max-md:hidden",
      cell: (schedule) => <span title={`${schedule.timezone} time`}>{recurrenceText(schedule)}</span>
    },
    {
      name: "Next run",
      className: "w-24 max-sm:w-20",
      cell: ({ next_runs: [next] }) => next === undefined ? "–" : <Time at={next} />
    },
    {
      name: "Last run",
      className: "w-28 max-lg:hidden text-muted",
      cell: ({ last_run_at }) => last_run_at === null ? "Never" : <Time at={last_run_at} />
    },
    {
      name: "State",
      className: "w-24",
      cell: ({ health, status }) =>
        status === "active" && health.state !== "ok"
          ? <HealthBadge health={health} />
          : <ScheduleState status={status} />
    }
  ]
  return (
    <Screen
      title="Schedules"
      actions={
        <Button kind="primary" onClick={() => setIsNew(true)}>
          <Plus aria-hidden /> New schedule
        </Button>
      }
      tabs={
        <StateTabs
          names={scheduleStates}
          current={filter.status}
          onChange={(status) => void navigate({ search: status === undefined ? {} : { status }, replace: true })}
        />
      }
    >
      <PagedTable
        label="Schedules"
        leavingAs="schedule"
        query={schedules}
        columns={columns}
        empty={<NoSchedules isFiltered={filter.status !== undefined} onNew={() => setIsNew(true)} />}
      />
      {isNew && <ScheduleForm onClose={() => setIsNew(false)} />}
      {opened !== undefined && (
        <ScheduleDetails
          id={opened}
          onClose={() => void navigate({ search: filter, replace: true })}
        />
      )}
    </Screen>
  )
}

export default SchedulesScreen
