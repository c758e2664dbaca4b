import { useMutation } from "@tanstack/react-query"
import type { Task } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { announced } from "../../parts/Outcome.ts"
import { plural } from "../../parts/Plural.ts"
import { offerUndo } from "../../parts/Undo.ts"
import { runBulk } from "../../service/BulkQueries.ts"
import {
  type Action,
  archivedChoices,
  choices,
  doneNames,
  effectOf,
  isDangerous,
  isFinished,
  isForArchived
} from "./BulkActions.ts"
import type { Selection } from "./Selection.ts"

/** As many as an operation takes by their ids. */
const maxSelected = 1_000

const opposite: Partial<Record<Action, Action>> = { archive: "restore", restore: "archive" }

const applies = (action: Action, statuses: ReadonlyArray<Task["status"]>) => (task: Task) =>
  (task.archived_at !== null) === isForArchived(action) && statuses.includes(task.status)

/** What can be done with the selected tasks. What is archived or un-archived can be undone. */
export const SelectionBar = ({ onAll, selection }: {
  readonly selection: Selection
  /** Changes all tasks that match the filter, instead of the selected ones. */
  readonly onAll: () => void
}) => {
  const [asked, setAsked] = useState<Action>()
  const { clear, remove, tasks } = selection
  const possible = [...choices, ...archivedChoices].flatMap(({ action, name, statuses }) => {
    const changed = tasks.filter(applies(action, statuses))
    return changed.length === 0 ? [] : [{ action, changed, name }]
  })
  const isOfFinished = tasks.every(({ status }) => isFinished(status))
  const bulk = useMutation({
    mutationFn: async ({ action, ids, types }: {
      readonly action: Action
      readonly ids: ReadonlyArray<string>
      readonly types: ReadonlySet<Task["task_type"]>
    }) => {
      const results = []
      for (const task_type of types) results.push(await runBulk({ action, filter: { ids: [...ids], task_type } }))
      return {
        done: results.reduce((sum, { done }) => sum + done, 0),
        failed: results.reduce((sum, { failed }) => sum + failed, 0)
      }
    }
  })
  const run = (action: Action) => {
    const changed = possible.find((one) => one.action === action)?.changed ?? []
    const request = {
      ids: changed.map(({ id }) => id),
      types: new Set(changed.map(({ task_type }) => task_type))
    }
    const tell = ({ done, failed }: { readonly done: number; readonly failed: number }) => {
      setAsked(undefined)
      remove(tasks)
      const text = `${plural(done, "task")} ${doneNames[action]}`
      const back = isDangerous(action, isOfFinished) ? undefined : opposite[action]
      if (failed > 0) return toast.warning(`${text}, ${failed} not possible`)
      if (back === undefined) return toast.success(text)
      return offerUndo(text, () => bulk.mutateAsync({ action: back, ...request }))
    }
    // As a promise, because the tasks may leave the list, and this with them, before the operation has ended.
    void bulk.mutateAsync({ action, ...request }).then(tell).catch(announced("", "Nothing was changed").onError)
  }
  const question = possible.find(({ action }) => action === asked)
  return (
    <div
      role="group"
      aria-label="Selected tasks"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b bg-accent-soft px-4 py-1"
    >
      <p role="status" className="font-medium">{plural(tasks.length, "task")} selected</p>
      {possible.map(({ action, changed, name }) => (
        <Button
          key={action}
          size="small"
          kind={isDangerous(action, isOfFinished) ? "danger" : "plain"}
          disabled={bulk.isPending || tasks.length > maxSelected}
          onClick={() => isDangerous(action, isOfFinished) ? setAsked(action) : run(action)}
        >
          {name}
          {changed.length < tasks.length && ` ${changed.length}`}
        </Button>
      ))}
      {tasks.length > maxSelected && <p>Select at most 1,000, or all that match.</p>}
      <span className="ml-auto flex gap-2">
        <Button size="small" kind="ghost" onClick={onAll}>All that match …</Button>
        <Button size="small" kind="ghost" onClick={clear}>Clear selection</Button>
      </span>
      {question !== undefined && (
        <Confirm
          title={`${question.name} ${plural(question.changed.length, "task")}?`}
          action={`${question.name} ${plural(question.changed.length, "task")}`}
          leave="Change nothing"
          isPending={bulk.isPending}
          error={bulk.error}
          onClose={() => {
            bulk.reset()
            setAsked(undefined)
          }}
          onConfirm={() => run(question.action)}
        >
          {effectOf(question.action, isOfFinished)}
        </Confirm>
      )}
    </div>
  )
}
