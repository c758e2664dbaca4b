import { Link } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import type { ReactNode } from "react"
import { Panel } from "../../parts/Panel.tsx"
import { Time } from "../../parts/Time.tsx"

const whole = new Intl.NumberFormat("en")

/** Where the task comes from and what it used. */
export const Facts = ({ task }: { readonly task: Task }) => {
  const { cost, input_tokens, model_calls, output_tokens, tool_calls } = task.usage
  const fact = (name: string, value: ReactNode) => (
    <div key={name} className="contents">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{value}</dd>
    </div>
  )
  return (
    <Panel title="About this task">
      <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-x-3 gap-y-1">
        {fact(
          "Creator",
          <Link to="/tasks" search={{ creator: task.creator }} className="hover:underline">{task.creator}</Link>
        )}
        {task.assignee !== null && fact("Assignee", task.assignee)}
        {fact(
          "Source",
          task.webhook_type === null
            ? task.source ?? "Console or API"
            : (
              <Link to="/tasks" search={{ webhook_type: task.webhook_type }} className="hover:underline">
                Webhook {task.webhook_type}
              </Link>
            )
        )}
        {task.project_id !== null && fact("Project", task.project_id)}
        {task.agent_type !== null && fact("Agent", task.agent_type)}
        {fact("Created", <Time at={task.created_at} />)}
        {task.started_at !== null && fact("Started", <Time at={task.started_at} />)}
        {task.completed_at !== null && fact("Ended", <Time at={task.completed_at} />)}
        {fact("Model calls", whole.format(model_calls))}
        {fact("Tool calls", whole.format(tool_calls))}
        {fact("Tokens", `${whole.format(input_tokens)} in, ${whole.format(output_tokens)} out`)}
        {fact("Cost", cost === null ? "No price known (MODEL_PRICES)" : `$${cost.toFixed(4)}`)}
        {task.token_budget !== null && fact("Budget", `${whole.format(task.token_budget)} tokens`)}
        {fact("Id", <code className="font-mono text-xs">{task.id}</code>)}
      </dl>
    </Panel>
  )
}
