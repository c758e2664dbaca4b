import type { Schedule } from "@troupe/client"
import { Button } from "../../parts/Button.tsx"
import { DeleteLater } from "../../parts/DeleteLater.tsx"
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
      <DeleteLater
        id={`schedule.${schedule.id}`}
        name="the schedule"
        text="Delete"
        send={() => remove.mutateAsync(schedule.id)}
        onLeave={onRemoved}
      />
    </div>
  )
}
