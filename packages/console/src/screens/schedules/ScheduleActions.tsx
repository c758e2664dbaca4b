import type { Schedule } from "@troupe/client"
import { Pause, Pencil, Play, Trash2, Zap } from "lucide-react"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { announced } from "../../parts/Outcome.ts"
import { usePauseSchedule, useRemoveSchedule, useRunSchedule } from "../../service/ScheduleQueries.ts"

export const ScheduleActions = ({ onEdit, onRemoved, schedule }: {
  readonly schedule: Schedule
  readonly onEdit: () => void
  readonly onRemoved: () => void
}) => {
  const [isRemoving, setIsRemoving] = useState(false)
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
      <Button kind="danger" onClick={() => setIsRemoving(true)}>
        <Trash2 aria-hidden /> Delete
      </Button>
      {isRemoving && (
        <Confirm
          title="Delete the schedule?"
          action="Delete the schedule"
          keep="Keep it"
          isPending={remove.isPending}
          error={remove.error}
          onClose={() => setIsRemoving(false)}
          onConfirm={() => remove.mutate(schedule.id, { onSuccess: onRemoved })}
        >
          It does not run again. The tasks that it made stay.
        </Confirm>
      )}
    </div>
  )
}
