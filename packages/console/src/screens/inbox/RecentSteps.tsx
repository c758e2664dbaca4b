import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { recentStepsQuery } from "../../service/InboxQueries.ts"
import { StepIcon, stepTitle } from "../task/StepIcon.tsx"

/** Steps of these kinds say nothing about the work. */
const unimportant = new Set(["woken", "started"])

const shownSteps = 3

/** What the agent did before it asked, oldest first. */
export const RecentSteps = ({ task }: { readonly task: Task }) => {
  const steps = useQuery(recentStepsQuery(task)).data ?? []
  const before = steps
    .filter(({ calls, kind, text }) =>
      !unimportant.has(kind) && text !== task.question && !calls.some(({ id }) => id === task.last_tool_call_id)
    )
    .slice(0, shownSteps)
    .toReversed()
  return before.length === 0 ?
    null :
    (
      <ol aria-label="Last steps" className="mb-3 flex flex-col border-b pb-2 text-muted">
        {before.map((step) => (
          <li key={step.seq} className="flex min-w-0 items-center gap-2">
            <StepIcon step={step} />
            <Link
              to="/tasks/$taskId"
              params={{ taskId: task.id }}
              search={{ step: step.seq }}
              className="truncate py-0.5 leading-5 hover:text-text hover:underline"
            >
              {stepTitle(step)}
            </Link>
          </li>
        ))}
      </ol>
    )
}
