import { useQuery } from "@tanstack/react-query"
import { Button } from "../../parts/Button.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { bulkQuery } from "../../service/BulkQueries.ts"
import { doneNames } from "./BulkActions.ts"

/** How far a bulk operation is, to be read as it goes on. */
export const BulkProgress = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const { data, error, refetch } = useQuery(bulkQuery(id))
  if (error !== null) return <Problem error={error} title="The progress is unknown" onRetry={() => void refetch()} />
  if (data === undefined) return <p role="status">Starting …</p>
  const isOver = data.finished_at !== null
  return (
    <div className="flex flex-col gap-3">
      <p role="status">
        {isOver
          ? `Finished: ${data.done} of ${plural(data.matched, "task")} ${doneNames[data.action]}`
          : data.done === 0
          ? "Working"
          : `Working: ${plural(data.done, "task")} ${doneNames[data.action]} so far`}
        {data.failed > 0 ? `, ${data.failed} not possible` : ""}
        {isOver ? "." : " …"}
      </p>
      {data.error !== null && <p className="text-bad">{data.error}</p>}
      {!isOver && <p className="text-muted">This goes on in the service when you close the dialog.</p>}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </div>
  )
}
