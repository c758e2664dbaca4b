import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { type Task, TroupeError } from "@troupe/client"
import { Group, Panel, Separator } from "react-resizable-panels"
import { Loading } from "../../parts/Loading.tsx"
import { useIsWide } from "../../parts/Media.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useTitle } from "../../parts/Title.ts"
import { useTaskRights } from "../../service/Rights.ts"
import { taskQuery } from "../../service/TaskQueries.ts"
import { AnswerForm } from "./AnswerForm.tsx"
import { Facts } from "./Facts.tsx"
import { Inspector } from "./Inspector.tsx"
import { InspectorDialog } from "./InspectorDialog.tsx"
import { MessageForm } from "./MessageForm.tsx"
import { Outcome } from "./Outcome.tsx"
import { Request } from "./Request.tsx"
import { TaskHeader } from "./TaskHeader.tsx"
import type { StepAddress } from "./Timeline.ts"
import { Unsent } from "./Unsent.tsx"
import { Waterfall } from "./Waterfall.tsx"

const route = getRouteApi("/tasks/$taskId")

/** Why there is so little of the task of somebody else. */
const Visibility = ({ task }: { readonly task: Task }) =>
  useTaskRights(task).mayChange === false && (
    <p className="rounded-lg border bg-raised px-3 py-2">
      Only its creator, its assignee, the owner and admins see what the task is about, and may change it.
    </p>
  )

/** What a person writes to the agent beside answers, and an answer that came too late. */
const TextForms = ({ task }: { readonly task: Task }) =>
  useTaskRights(task).mayChange === true && (
    <>
      {task.status !== "waiting_input" && <Unsent name="answer" task={task} />}
      <MessageForm task={task} />
    </>
  )

const TaskScreen = () => {
  const { taskId } = route.useParams()
  const { of, step } = route.useSearch()
  const navigate = route.useNavigate()
  const isWide = useIsWide()
  const { data: task, error, refetch } = useQuery(taskQuery(taskId))
  const title = task?.title
  useTitle(title ?? "Task")
  const isDeleted = error instanceof TroupeError && error.status === 404
  if (task === undefined || isDeleted) {
    return error === null ? <Loading /> : (
      <div className="mx-auto max-w-2xl p-4">
        <h1 className="sr-only">Task</h1>
        <Problem error={error} title="The task could not be loaded" onRetry={() => void refetch()} />
        <p className="mt-3">
          <Link to="/tasks" className="text-accent underline underline-offset-2">Go to the tasks</Link>
        </p>
      </div>
    )
  }
  const selected = step === undefined ? undefined : { taskId: of ?? task.id, seq: step }
  const select = (next: StepAddress | undefined) => {
    const isSame = next === undefined || (next.seq === selected?.seq && next.taskId === selected.taskId)
    const search = isSame ? {} : { step: next.seq, ...(next.taskId === task.id ? {} : { of: next.taskId }) }
    void navigate({ search, replace: true })
  }
  const steps = (
    <div className="flex h-full min-w-0 flex-col gap-3">
      <div className="min-h-0 flex-1">
        <Waterfall key={task.id} task={task} selected={selected} onSelect={select} />
      </div>
      <TextForms task={task} />
    </div>
  )
  const inspector = selected === undefined
    ? null
    : (
      <Inspector
        taskId={selected.taskId}
        seq={selected.seq}
        onClose={() => select(undefined)}
      />
    )
  const content = (
    <>
      <Visibility task={task} />
      {task.status === "waiting_input" && task.question !== null && <AnswerForm task={task} />}
      <Outcome task={task} />
      <Request task={task} />
    </>
  )
  return isWide
    ? (
      <div className="flex h-full flex-col">
        <TaskHeader task={task} />
        <Group orientation="horizontal" className="min-h-0 flex-1 p-3">
          <Panel defaultSize="62%" minSize="30%">{steps}</Panel>
          <Separator aria-label="Width of the steps" className="w-3 rounded-sm outline-offset-[-4px]" />
          <Panel minSize="22%">
            {inspector ?? (
              <div className="h-full overflow-y-auto" tabIndex={0} role="group" aria-label="About the task">
                <div className="flex min-w-0 flex-col gap-3">
                  {content}
                  <Facts task={task} />
                </div>
              </div>
            )}
          </Panel>
        </Group>
      </div>
    )
    : (
      <div className="h-full overflow-y-auto">
        <TaskHeader task={task} />
        <div className="flex flex-col gap-3 p-3">
          {content}
          {steps}
          <Facts task={task} />
        </div>
        {selected !== undefined && (
          <InspectorDialog seq={selected.seq} onClose={() => select(undefined)}>{inspector}</InspectorDialog>
        )}
      </div>
    )
}

export default TaskScreen
