import { Popover } from "@base-ui/react/popover"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Button, buttonLook } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { Choice } from "../../parts/Choice.tsx"
import { Field, Input } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Filter } from "../../parts/Icons.ts"
import { agentsQuery } from "../../service/AgentQueries.ts"
import { projectNamesQuery } from "../../service/ProjectNames.ts"
import type { TaskFilter } from "../../service/TaskQueries.ts"
import { userNamesQuery } from "../../service/UserNames.ts"
import { sinceDays, sourceNames } from "./Filters.ts"

/** A time as a field for dates and times has it, in the zone of the browser. */
const fieldTime = (at: string | undefined): string => {
  if (at === undefined || Number.isNaN(Date.parse(at))) return ""
  const time = new Date(at)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

type Named = "agent" | "assignee" | "creator" | "project_id" | "source"

const noNames: ReadonlyMap<string, string> = new Map()

const sources: ReadonlyMap<string, string> = new Map(Object.entries(sourceNames))

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
  const people = useQuery(userNamesQuery).data ?? noNames
  const projects = useQuery(projectNamesQuery).data ?? noNames
  const agents = new Map(useQuery(agentsQuery).data?.map(({ name }) => [name, name]))
  const set = (key: keyof TaskFilter, value: string | true | undefined) => {
    const { [key]: _, ...others } = draft
    setDraft(value === undefined || value === "" ? others : { ...others, [key]: value })
  }
  const choice = (key: Named, label: string, names: ReadonlyMap<string, string>) => (
    <Choice
      label={label}
      none="Any"
      names={names}
      value={draft[key]}
      onChange={(value) => set(key, value)}
    />
  )
  const text = (key: "project_id" | "webhook_type", label: string) => (
    <Field label={label}>
      <Input value={draft[key] ?? ""} onChange={({ target }) => set(key, target.value.trim())} />
    </Field>
  )
  return (
    <Form
      className="grid gap-3 sm:grid-cols-2"
      onSubmit={() => onApply(draft)}
    >
      {choice("creator", "Creator", people)}
      {choice("assignee", "Assignee", people)}
      {projects.size > 0 ? choice("project_id", "Project", projects) : text("project_id", "Project")}
      {choice("agent", "Agent", agents)}
      {text("webhook_type", "Webhook type")}
      {choice("source", "Source", sources)}
      <div className="flex gap-6 sm:col-span-2">
        {([["task_type", "subtask", "Only subtasks"], ["include_archived", true, "Include archived tasks"]] as const)
          .map((
            [key, value, label]
          ) => (
            <Checkbox
              key={key}
              isChecked={draft[key] === value}
              onChange={(isChecked) => set(key, isChecked ? value : undefined)}
            >
              {label}
            </Checkbox>
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
