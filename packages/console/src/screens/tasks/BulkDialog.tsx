import { useQuery } from "@tanstack/react-query"
import type { TaskCounts } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useBulk } from "../../service/BulkQueries.ts"
import { useOwnFilter } from "../../service/Rights.ts"
import { countsQuery, type TaskFilter } from "../../service/TaskQueries.ts"
import {
  type Action,
  archivedChoices,
  choices,
  effectOf,
  everyStatus,
  isDangerous,
  isFinished,
  isForArchived,
  type Status
} from "./BulkActions.ts"
import { BulkProgress } from "./BulkProgress.tsx"
import { useFilterText } from "./FilterText.ts"

const numberOf = (counts: TaskCounts, statuses: ReadonlyArray<Status>) => {
  const sum = statuses.reduce((total, status) => total + counts[status], 0)
  const isCapped = statuses.some((status) => counts.capped.includes(status))
  return { sum, text: isCapped ? `More than ${sum - 1} tasks` : plural(sum, "task") }
}

/** A millisecond after the newest task of the list: ids of tasks are as exact as this. */
const after = (createdAt: string): string => new Date(Date.parse(createdAt) + 1).toISOString()

/** The number that a person has seen; it may fall before they press the button, but not rise. */
const useSeenNumber = (of: string, number: number | undefined) => {
  const [seen, setSeen] = useState<{ readonly of: string; readonly number: number }>()
  const isNew = seen?.of !== of || number !== undefined && number < seen.number
  if (isNew && number !== undefined) setSeen({ of, number })
  return {
    hasGrown: !isNew && number !== undefined && number > seen.number,
    accept: () => number !== undefined && setSeen({ of, number })
  }
}

/**
 * Changes every task that the shown list has, also beyond what is loaded, that the action applies to, and that the person may
 * change.
 */
export const BulkDialog = ({ filter, isApplied, newest, onClose }: {
  readonly filter: TaskFilter
  /** Whether the list is read that the filter and the typed words mean. */
  readonly isApplied: boolean
  /** When the newest task of the list was made; later ones are not in it. */
  readonly newest: string | undefined
  readonly onClose: () => void
}) => {
  const [until, setUntil] = useState(newest)
  if (until === undefined && newest !== undefined) setUntil(newest)
  const { archived: _, include_archived: showsArchived, ...listed } = useOwnFilter(filter)
  const isRestricted = listed.creator !== filter.creator
  const { status } = filter
  const possible = [...choices, ...showsArchived === true ? archivedChoices : []]
    .map((one) => ({ ...one, statuses: one.statuses.filter((each) => status === undefined || each === status) }))
    .filter(({ statuses }) => statuses.length > 0)
  const [action, setAction] = useState<Action | undefined>(status === "failed" ? "retry" : undefined)
  const chosen = possible.find((one) => one.action === action)
  const [withCancelled, setWithCancelled] = useState(false)
  const leavesCancelled = action === "retry" && !withCancelled && filter.cancelled === undefined
  const shown = until === undefined || listed.created_before !== undefined
    ? listed
    : { ...listed, created_before: after(until) }
  const matching = leavesCancelled ? { ...shown, cancelled: false } : shown
  const bulk = useBulk()
  const filterText = useFilterText()
  const named = Object.entries(listed).map(([key, value]) => filterText(key, value))
  const counted = isForArchived(action) ? { ...matching, archived: true } : matching
  const counts = useQuery({ ...countsQuery(counted), enabled: isApplied }).data
  const all = counts === undefined || chosen !== undefined
    ? undefined
    : numberOf(counts, status === undefined ? everyStatus : [status])
  const number = counts === undefined || chosen === undefined ? undefined : numberOf(counts, chosen.statuses)
  const { accept, hasGrown } = useSeenNumber(JSON.stringify([action, matching]), number?.sum)
  return (
    <Modal isOpen onClose={onClose} title="Change all tasks of this list">
      {bulk.data !== undefined ? <BulkProgress id={bulk.data.id} onClose={onClose} /> : (
        <Form
          onSubmit={() => {
            if (action !== undefined) bulk.mutate({ action, filter: matching })
          }}
        >
          <p>
            {named.length === 0
              ? "No filter is set: this changes every task, also those that are not loaded yet."
              : "This changes every task that the filter matches, also those that are not loaded yet:"}
          </p>
          {!isApplied && (
            <p role="status" className="text-wait">
              The search is not applied yet. Wait until the list shows what it matches.
            </p>
          )}
          {isRestricted && <p>Tasks of other people are not changed: only they, the owner and admins may do that.</p>}
          {named.length > 0 && <ul className="list-disc pl-5">{named.map((name) => <li key={name}>{name}</li>)}</ul>}
          <fieldset className="flex flex-col gap-2">
            <legend className="sr-only">Action</legend>
            {possible.map((one) => (
              <label key={one.action} className="flex items-baseline gap-2">
                <input
                  type="radio"
                  name="action"
                  className="accent-accent-fill"
                  checked={action === one.action}
                  onChange={() => setAction(one.action)}
                />
                <span>
                  <span className="font-medium">{one.name}</span>{" "}
                  <span className="text-muted">{effectOf(one.action, isFinished(status))}</span>
                </span>
              </label>
            ))}
          </fieldset>
          {action === "retry" && filter.cancelled === undefined && (
            <Checkbox isChecked={withCancelled} onChange={setWithCancelled}>Include cancelled tasks</Checkbox>
          )}
          {all !== undefined && <p role="status" className="font-medium">The filter matches {all.text} now</p>}
          {number !== undefined && chosen !== undefined && (
            <p role="status" className="font-medium">{chosen.name}: {number.text} now</p>
          )}
          {hasGrown && (
            <p role="status" className="flex flex-wrap items-center gap-2 text-wait">
              The list has changed: it has more tasks for this than you have seen.
              <Button size="small" onClick={accept}>Take all {number?.text}</Button>
            </p>
          )}
          <p className="text-muted">Tasks that are made from now on stay as they are.</p>
          {bulk.error !== null && <Problem error={bulk.error} title="Nothing was changed" />}
          <DialogActions cancel="Change nothing" onCancel={onClose}>
            <Button
              kind={isDangerous(action, isFinished(status)) ? "danger" : "primary"}
              type="submit"
              disabled={chosen === undefined || number === undefined || number.sum === 0 || hasGrown || !isApplied
                || bulk.isPending}
            >
              {chosen === undefined ? "Choose an action" : `${chosen.name} all`}
            </Button>
          </DialogActions>
        </Form>
      )}
    </Modal>
  )
}
