import type { Schedule } from "@troupe/client"
import { Button } from "../../parts/Button.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { Pause, Pencil, Play, Zap } from "../../parts/Icons.ts"
import { announced } from "../../parts/Outcome.ts"
import { usePauseSchedule, useRemoveSchedule, useRunSchedule } from "../../service/ScheduleQueries.ts"

export const ScheduleActions = ({ onEdit, onRemoved, schedule }: {
  readonly schedule: Schedule
  readonly onEdit: () => void
  readonly onRemoved: () => void
}) => {
  const run = useRunSchedule()
  const pause = usePauseSchedule()
  const remove = useRemoveSchedule()
  const isPaused = schedule.status === "paused"
  return (
    <div className="flex flex-wrap gap-2">
      {schedule.status !== "done" && (
        <>
          <Button
            disabled={run.isPending}
            onClick={() => run.mutate(schedule.id, announced("The schedule ran", "The schedule did not run"))}
          >
            <Zap aria-hidden /> Run now
          </Button>
          <Button
            disabled={pause.isPending}
            onClick={() =>
              pause.mutate(
                schedule,
                isPaused
                  ? announced("The schedule runs again", "The schedule was not resumed")
                  : announced("The schedule is paused", "The schedule was not paused")
              )}
          >
            {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />} {isPaused ? "Resume" : "Pause"}
          </Button>
        </>
      )}
      <Button onClick={onEdit}>
        <Pencil aria-hidden /> Change
      </Button>
      <Delete noun="schedule" label="Delete" change={remove} input={schedule.id} onDone={onRemoved}>
        It does not run again. The tasks that it made stay.
      </Delete>
    </div>
  )
}
