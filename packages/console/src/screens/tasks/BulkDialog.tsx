import { useQuery } from "@tanstack/react-query"
import type { BulkRequest, TaskCounts } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { bulkQuery, useBulk } from "../../service/BulkQueries.ts"
import { countsQuery, type TaskFilter } from "../../service/TaskQueries.ts"
import { useFilterText } from "./FilterText.ts"

type Action = BulkRequest["action"]

const actions: ReadonlyArray<{ readonly action: Action; readonly name: string; readonly text: string }> = [
  { action: "cancel", name: "Cancel", text: "Tasks that are not finished stop, with their subtasks." },
  { action: "retry", name: "Retry", text: "Failed tasks go on from their last saved step." },
  { action: "archive", name: "Archive", text: "Finished tasks leave the lists; nothing of them is deleted." }
]

const Progress = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const { data, error, refetch } = useQuery(bulkQuery(id))
  if (error !== null) return <Problem error={error} title="The progress is unknown" onRetry={() => void refetch()} />
  if (data === undefined) return <p role="status">Starting …</p>
  const isOver = data.finished_at !== null
  return (
    <div className="flex flex-col gap-3">
      <p role="status">
        {isOver ? "Finished: " : "Working: "}
        {plural(data.done, "task")}
        {isOver ? ` of ${data.matched}` : ""} changed{data.failed > 0 ? `, ${data.failed} not possible` : ""}.
      </p>
      {data.error !== null && <p className="text-bad">{data.error}</p>}
      {!isOver && <p className="text-muted">This goes on in the service when you close the dialog.</p>}
      <div className="flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  )
}

/** The service counts no further. */
const maxCount = 1_000

const matchingText = (counts: TaskCounts, status: TaskFilter["status"]): string => {
  const each = status === undefined ? Object.values(counts) : [counts[status]]
  const sum = each.reduce((total, count) => total + count, 0)
  return `${each.some((count) => count >= maxCount) ? `More than ${sum - 1}` : sum} ${sum === 1 ? "task" : "tasks"} now`
}

/** Changes every task that the filter of the list matches. */
export const BulkDialog = ({ filter, onClose }: { readonly filter: TaskFilter; readonly onClose: () => void }) => {
  const [action, setAction] = useState<Action>(filter.status === "failed" ? "retry" : "cancel")
  const bulk = useBulk()
  const filterText = useFilterText()
  const { include_archived: _, ...matching } = filter
  const named = Object.entries(matching).map(([key, value]) => filterText(key, value))
  const counts = useQuery(countsQuery(matching)).data
  const number = counts === undefined ? undefined : matchingText(counts, filter.status)
  return (
    <Modal isOpen onClose={onClose} title="Change all tasks of this list">
      {bulk.data !== undefined ? <Progress id={bulk.data.id} onClose={onClose} /> : (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            bulk.mutate({ action, filter: matching })
          }}
        >
          <p>
            {named.length === 0
              ? "No filter is set: this changes every task, also those that are not loaded yet."
              : "This changes every task that the filter matches, also those that are not loaded yet:"}
          </p>
          {named.length > 0 && <ul className="list-disc pl-5">{named.map((name) => <li key={name}>{name}</li>)}</ul>}
          {number !== undefined && <p className="font-medium">{number}</p>}
          <fieldset className="flex flex-col gap-2">
            <legend className="sr-only">Action</legend>
            {actions.map((one) => (
              <label key={one.action} className="flex items-baseline gap-2">
                <input
                  type="radio"
                  name="action"
                  className="accent-accent-fill"
                  checked={action === one.action}
                  onChange={() => setAction(one.action)}
                />
                <span>
                  <span className="font-medium">{one.name}</span> <span className="text-muted">{one.text}</span>
                </span>
              </label>
            ))}
          </fieldset>
          {bulk.error !== null && <Problem error={bulk.error} title="Nothing was changed" />}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Keep them</Button>
            <Button kind="primary" type="submit" disabled={bulk.isPending}>
              {actions.find((one) => one.action === action)?.name} all
            </Button>
          </div>
        </form>
      )}
    </Modal>
  )
}
