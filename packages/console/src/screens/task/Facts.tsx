import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Task, Usage } from "@troupe/client"
import { FactList } from "../../parts/FactList.tsx"
import { Download } from "../../parts/Icons.ts"
import { JsonView } from "../../parts/JsonView.tsx"
import { NoPrice } from "../../parts/NoPrice.tsx"
import { moneyText, numberText } from "../../parts/Numbers.ts"
import { Panel } from "../../parts/Panel.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { Time } from "../../parts/Time.tsx"
import { serviceUrl } from "../../service/Address.ts"
import { useProjectName } from "../../service/ProjectNames.ts"
import { useMayOperate, useTaskRights } from "../../service/Rights.ts"
import { scheduleQuery } from "../../service/ScheduleQueries.ts"
import { useNameOf } from "../../service/UserNames.ts"
import { deliveryOfTaskQuery } from "../../service/WebhookQueries.ts"
import { sourceNames } from "../tasks/Filters.ts"
import { Unverified } from "../webhooks/DeliveryState.tsx"

const tokens = ({ input_tokens, output_tokens }: Usage) =>
  `${numberText(input_tokens)} in, ${numberText(output_tokens)} out`

/** The cost is known where every call of the model had a price. */
const cost = ({ cost, model_calls }: Usage) => cost !== null ? moneyText(cost) : model_calls === 0 ? null : <NoPrice />

/** The webhook that made it, with its one delivery for who may read those. */
const WebhookSource = ({ id, type }: { readonly id: string; readonly type: string }) => {
  const mayOperate = useMayOperate() === true
  const delivery = useQuery({ ...deliveryOfTaskQuery(id), enabled: mayOperate }).data
  return (
    <span className="inline-flex items-center gap-2">
      <span>
        Webhook{" "}
        <Link
          to="/webhooks"
          search={{ type, ...(delivery === undefined || delivery === null ? {} : { delivery: delivery.id }) }}
          className="text-accent hover:underline"
        >
          {type}
        </Link>
      </span>
      {delivery?.verified === false && <Unverified />}
    </span>
  )
}

/** The schedule that made it; one that was deleted has no title. */
const ScheduleSource = ({ id }: { readonly id: string }) => {
  const schedule = useQuery({ ...scheduleQuery(id), queryKey: ["scheduleOfTask", id], staleTime: Infinity }).data
  return schedule === undefined ? <>{sourceNames.schedule}</> : (
    <>
      {sourceNames.schedule}{" "}
      <Link to="/schedules" search={{ schedule: id }} className="text-accent hover:underline">{schedule.title}</Link>
    </>
  )
}

const sourceOf = ({ id, schedule_id, source, webhook_type }: Task) =>
  webhook_type !== null
    ? <WebhookSource id={id} type={webhook_type} />
    : schedule_id !== null
    ? <ScheduleSource id={schedule_id} />
    : sourceNames[source ?? "api"]

/** Where the task comes from and what it used. */
export const Facts = ({ task }: { readonly task: Task }) => {
  const { total, ...own } = task.usage
  const hasSubtasks = total.model_calls !== own.model_calls || total.tool_calls !== own.tool_calls
  const nameOf = useNameOf()
  const projectName = useProjectName()
  const mayRead = useTaskRights(task).mayChange === true
  const filtered = (
    filter: { readonly creator?: string; readonly assignee?: string; readonly project_id?: string },
    name: string
  ) => (
    <Link to="/tasks" search={filter} title="Show only tasks with this value" className="hover:underline">
      {name}
    </Link>
  )
  return (
    <>
      <Panel title="About this task">
        <FactList
          facts={{
            Creator: filtered({ creator: task.creator }, nameOf(task.creator)),
            Assignee: task.assignee === null ? null : filtered({ assignee: task.assignee }, nameOf(task.assignee)),
            Source: sourceOf(task),
            "Sent from": task.source_ip,
            Project: task.project_id === null
              ? null
              : filtered({ project_id: task.project_id }, projectName(task.project_id)),
            Agent: task.agent_type,
            Created: <Time at={task.created_at} />,
            Started: task.started_at === null ? null : <Time at={task.started_at} />,
            Ended: task.completed_at === null ? null : <Time at={task.completed_at} />,
            "Ended with": task.end_label ?? (task.ended_by === "answer" ? "The agent's answer" : null),
            "Model calls": numberText(total.model_calls),
            "Tool calls": numberText(total.tool_calls),
            Tokens: tokens(total),
            Cost: cost(total),
            "Without subtasks": hasSubtasks
              ? `${tokens(own)}${own.cost === null ? "" : `, ${moneyText(own.cost)}`}`
              : null,
            "Limit of model calls": task.max_iterations === null ? null : numberText(task.max_iterations),
            "May cost": task.max_cost === null ? null : moneyText(task.max_cost),
            Budget: task.token_budget === null ? null : `${numberText(task.token_budget)} tokens`,
            Id: <code className="font-mono text-xs">{task.id}</code>
          }}
        />
        {mayRead && (
          <a
            href={`${serviceUrl}/task/${task.id}/export`}
            download={`task-${task.id}.jsonl`}
            className="mt-2 inline-flex items-center gap-1.5 text-accent hover:underline"
          >
            <Download aria-hidden className="size-4" /> Export as JSONL
          </a>
        )}
      </Panel>
      {task.plan !== null && (
        <Panel title="Plan">
          <RichText text={task.plan} />
        </Panel>
      )}
      {task.webhook_payload !== null && task.webhook_payload !== undefined && (
        <Panel title="Payload of the webhook">
          <JsonView value={task.webhook_payload} />
        </Panel>
      )}
    </>
  )
}
