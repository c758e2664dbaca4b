import type { Task } from "@troupe/client"
import { useRef, useState } from "react"

/** The tasks of a list that a person has selected. */
export interface Selection {
  readonly tasks: ReadonlyArray<Task>
  readonly has: (id: string) => boolean
  /** Selects the task or deselects it; `isRange`: also all from the one before to it. */
  readonly toggle: (id: string, isRange: boolean) => void
  /** Selects all tasks that are loaded, or none if all are. */
  readonly toggleAll: () => void
  readonly clear: () => void
  /** Deselects these; what else was selected meanwhile stays. */
  readonly remove: (tasks: ReadonlyArray<Task>) => void
}

/** A task that leaves the list is no longer selected, also if it comes back. */
export const useSelection = (listed: ReadonlyArray<Task>): Selection => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string | undefined>(undefined)
  const tasks = ids.size === 0 ? [] : listed.filter(({ id }) => ids.has(id))
  if (tasks.length < ids.size) setIds(new Set(tasks.map(({ id }) => id)))
  return {
    tasks,
    has: (id) => ids.has(id),
    toggle: (id, isRange) => {
      const [from, to] = [last.current, id].map((one) => listed.findIndex((task) => task.id === one))
      const range = isRange && from !== undefined && to !== undefined && from >= 0
        ? listed.slice(Math.min(from, to), Math.max(from, to) + 1).map((task) => task.id)
        : [id]
      const isSelected = !ids.has(id)
      setIds((now) =>
        isSelected ? new Set([...now, ...range]) : new Set([...now].filter((one) => !range.includes(one)))
      )
      last.current = id
    },
    toggleAll: () => setIds(tasks.length === listed.length ? new Set() : new Set(listed.map(({ id }) => id))),
    clear: () => setIds(new Set()),
    remove: (removed) => {
      const gone = new Set(removed.map(({ id }) => id))
      setIds((now) => new Set([...now].filter((id) => !gone.has(id))))
    }
  }
}
