import { Popover } from "@base-ui/react/popover"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Button, buttonLook } from "../../parts/Button.tsx"
import { Field, Input, inputLook } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Filter } from "../../parts/Icons.ts"
import type { TaskFilter } from "../../service/TaskQueries.ts"
import { userNamesQuery } from "../../service/UserNames.ts"
import { sinceDays, sourceNames } from "./Filters.ts"

/** A time as a field for dates and times has it, in the zone of the browser. */
const fieldTime = (at: string | undefined): string => {
  if (at === undefined || Number.isNaN(Date.parse(at))) return ""
  const time = new Date(at)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const texts = [
  { key: "creator", label: "Creator" },
  { key: "assignee", label: "Assignee" },
  { key: "project_id", label: "Project" },
  { key: "agent", label: "Agent" },
  { key: "webhook_type", label: "Webhook" }
] as const

const times = [{ key: "created_from", label: "Created since" }, {
  key: "created_before",
  label: "Created before"
}] as const

const periods = [{ name: "Created today", days: 0 }, { name: "Last 7 days", days: 6 }, {
  name: "Last 30 days",
  days: 29
}] as const

const FilterForm = ({ filter, onApply }: {
  readonly filter: TaskFilter
  readonly onApply: (filter: TaskFilter) => void
}) => {
  const [draft, setDraft] = useState<TaskFilter>(filter)
  const names = useQuery(userNamesQuery).data
  const set = (key: keyof TaskFilter, value: string | true | undefined) => {
    const { [key]: _, ...others } = draft
    setDraft(value === undefined || value === "" ? others : { ...others, [key]: value })
  }
  return (
    <Form
      className="grid gap-3 sm:grid-cols-2"
      onSubmit={() => onApply(draft)}
    >
      {texts.map(({ key, label }) => (
        <Field key={key} label={label}>
          <Input
            value={draft[key] ?? ""}
            list={key === "creator" || key === "assignee" ? "filter-people" : undefined}
            onChange={({ target }) => set(key, target.value.trim())}
          />
        </Field>
      ))}
      <datalist id="filter-people">
        {[...names ?? []].map(([id, name]) => <option key={id} value={id}>{name}</option>)}
      </datalist>
      <Field label="Source">
        <select
          className={inputLook()}
          aria-label="Source"
          value={draft.source ?? ""}
          onChange={({ target }) => set("source", target.value)}
        >
          <option value="">Any</option>
          {Object.entries(sourceNames).map(([source, name]) => <option key={source} value={source}>{name}</option>)}
        </select>
      </Field>
      <div className="flex flex-col justify-end gap-1 pb-1">
        {([["task_type", "subtask", "Subtasks"], ["include_archived", true, "Archived tasks, too"]] as const).map((
          [key, value, label]
        ) => (
          <label key={key} className="flex items-center gap-2">
            <input
              type="checkbox"
              className="accent-accent-fill"
              checked={draft[key] === value}
              onChange={({ target }) => set(key, target.checked ? value : undefined)}
            />
            {label}
          </label>
        ))}
      </div>
      {times.map(({ key, label }) => (
        <Field key={key} label={label}>
          <Input
            type="datetime-local"
            value={fieldTime(draft[key])}
            onChange={({ target }) => set(key, target.value === "" ? undefined : new Date(target.value).toISOString())}
          />
        </Field>
      ))}
      <div className="flex flex-wrap items-center gap-2 sm:col-span-2">
        {periods.map(({ days, name }) => (
          <Button
            key={name}
            size="small"
            onClick={() => onApply({ ...draft, created_from: sinceDays(days) })}
          >
            {name}
          </Button>
        ))}
        <Button kind="primary" type="submit" className="ml-auto">Apply</Button>
      </div>
    </Form>
  )
}

/** Every filter of the list beside its state and its words. */
export const FilterMenu = ({ filter, onChange }: {
  readonly filter: TaskFilter
  readonly onChange: (filter: TaskFilter) => void
}) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger className={buttonLook({})}>
        <Filter aria-hidden /> Filter
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-40">
          <Popover.Popup
            aria-label="Filter"
            className="w-[26rem] max-w-[calc(100vw-1rem)] rounded-lg border bg-surface p-4 shadow-2xl"
          >
            <FilterForm
              filter={filter}
              onApply={(next) => {
                setIsOpen(false)
                onChange(next)
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
