import type { Task } from "@troupe/client"
import type { ReactNode } from "react"
import { isCut } from "../../parts/EndedBy.ts"
import { costText, moneyText, numberText } from "../../parts/Numbers.ts"
import { absoluteTime, Duration, Time } from "../../parts/Time.tsx"
import { useProjectName } from "../../service/ProjectNames.ts"
import type { TaskFilter } from "../../service/TaskQueries.ts"
import { useNameOf } from "../../service/UserNames.ts"
import { type ColumnName, columns } from "./Columns.ts"
import { dayOf, sourceNames } from "./Filters.ts"

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

const sourceOf = ({ source, webhook_type }: Task): { readonly name: string; readonly filter: TaskFilter } =>
  webhook_type !== null
    ? { name: webhook_type, filter: { webhook_type } }
    : { name: sourceNames[source ?? "api"], filter: { source: source ?? "api" } }

const endText = ({ end_label, ended_by }: Task): string => {
  switch (ended_by) {
    case null:
      return ""
    case "answer":
      return "Its answer"
    case "failure":
      return "A failure"
    case "limit":
      return end_label?.replace(/^Stopped at its limit of /, "Limit of ") ?? "Limit"
    case "budget":
      return "Budget"
    case "cancelled":
      return end_label?.replace(/^Cancelled by /, "") ?? "Cancelled"
  }
}

/** The values of a task; choosing most of them shows only the tasks with this value. */
export const TaskCells = ({ filtering, shown, task }: {
  readonly task: Task
  readonly shown: ReadonlyArray<ColumnName>
  /** A value as a button that filters by it. */
  readonly filtering: (chosen: TaskFilter, children: ReactNode, value?: string) => ReactNode
}) => {
  const nameOf = useNameOf()
  const projectName = useProjectName()
  const { cost, input_tokens, output_tokens } = task.usage.total
  const tokens = input_tokens + output_tokens
  const source = sourceOf(task)
  const cells: Readonly<Record<ColumnName, () => ReactNode>> = {
    source: () => filtering(source.filter, source.name, source.name),
    project: () => task.project_id !== null && filtering({ project_id: task.project_id }, projectName(task.project_id)),
    agent: () => task.agent !== null && filtering({ agent: task.agent }, task.agent),
    creator: () => filtering({ creator: task.creator }, nameOf(task.creator)),
    assignee: () => task.assignee !== null && filtering({ assignee: task.assignee }, nameOf(task.assignee)),
    ended: () => (
      <span title={task.end_label ?? undefined} className={isCut(task.ended_by) ? "text-wait" : "text-muted"}>
        {endText(task)}
      </span>
    ),
    duration: () => task.started_at !== null && <Duration from={task.started_at} to={task.completed_at} />,
    tokens: () => (
      <span title={`${numberText(tokens)} tokens${cost === null ? "" : `, ${moneyText(cost)}`}, with all subtasks`}>
        {compact.format(tokens)}
      </span>
    ),
    cost: () => <span title="With all subtasks">{costText(cost)}</span>,
    created: () =>
      filtering(
        dayOf(task.created_at),
        <Time at={task.created_at} />,
        `tasks of this day (${absoluteTime(task.created_at)})`
      )
  }
  return (
    <>
      {shown.map((name) => (
        <div
          key={name}
          role="cell"
          className={`truncate ${"isNumber" in columns[name] ? "text-right text-muted tabular-nums" : ""}`}
        >
          {cells[name]()}
        </div>
      ))}
    </>
  )
}
