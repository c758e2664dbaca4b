import { X } from "lucide-react"
import { useEffect, useState } from "react"
import { inputLook } from "../../parts/Field.tsx"
import type { TaskFilter } from "../../service/TaskQueries.ts"

const names = {
  creator: "Creator",
  assignee: "Assignee",
  project_id: "Project",
  source: "Source",
  created_from: "Since",
  created_before: "Before",
  webhook_type: "Webhook",
  task_type: "Kind",
  include_archived: "Archived too"
} as const
const keys = [
  "creator",
  "assignee",
  "project_id",
  "source",
  "created_from",
  "created_before",
  "webhook_type",
  "task_type",
  "include_archived"
] as const

/** What is set beside the state, each with a way to remove it, and the search by words. */
export const FilterBar = ({ filter, onChange }: {
  readonly filter: TaskFilter
  readonly onChange: (filter: TaskFilter) => void
}) => {
  const given = filter.q ?? ""
  const [words, setWords] = useState(given)
  useEffect(() => setWords(given), [given])
  const search = (text: string) => {
    const { q: _, ...others } = filter
    onChange(text.trim() === "" ? others : { ...others, q: text.trim() })
  }
  return (
    <>
      {keys.filter((key) => filter[key] !== undefined).map((key) => {
        const { [key]: value, ...others } = filter
        return (
          <button
            key={key}
            type="button"
            title="Remove this filter"
            className="inline-flex h-7 max-w-64 items-center gap-1 rounded-full border bg-accent-soft px-2.5 text-xs"
            onClick={() => onChange(others)}
          >
            <span className="truncate">{value === true ? names[key] : `${names[key]}: ${value}`}</span>
            <X aria-hidden className="size-3.5 shrink-0" />
          </button>
        )
      })}
      <label className="inline-flex h-8 items-center gap-1.5 text-muted">
        <input
          type="checkbox"
          className="accent-accent-fill"
          checked={filter.task_type === "subtask"}
          onChange={({ target }) => {
            const { task_type: _, ...others } = filter
            onChange(target.checked ? { ...others, task_type: "subtask" } : others)
          }}
        />
        Subtasks
      </label>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          search(words)
        }}
      >
        <input
          type="search"
          aria-label="Search tasks"
          placeholder="Search (press /)"
          value={words}
          onChange={({ target }) => {
            setWords(target.value)
            if (target.value === "") search("")
          }}
          className={inputLook("w-52 max-w-full")}
        />
      </form>
    </>
  )
}
