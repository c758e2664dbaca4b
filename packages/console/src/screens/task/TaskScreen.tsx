import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useEffect } from "react"
import { Loading } from "../../parts/Loading.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { taskQuery } from "../../service/TaskQueries.ts"
import { AnswerForm } from "./AnswerForm.tsx"
import { Facts } from "./Facts.tsx"
import { MessageForm } from "./MessageForm.tsx"
import { Outcome } from "./Outcome.tsx"
import { Request } from "./Request.tsx"
import { StepList } from "./StepList.tsx"
import { TaskHeader } from "./TaskHeader.tsx"

const route = getRouteApi("/tasks/$taskId")

const TaskScreen = () => {
  const { taskId } = route.useParams()
  const { data: task, error, refetch } = useQuery(taskQuery(taskId))
  const title = task?.title
  useEffect(() => {
    document.title = `${title ?? "Task"} · Troupe`
  }, [title])
  if (task === undefined) {
    return error === null ? <Loading /> : (
      <div className="mx-auto max-w-2xl p-4">
        <h1 className="sr-only">Task</h1>
        <Problem error={error} title="The task could not be loaded" onRetry={() => void refetch()} />
      </div>
    )
  }
  return (
    <div className="flex h-full flex-col max-lg:overflow-y-auto">
      <TaskHeader task={task} />
      <div className="flex flex-1 flex-col gap-3 p-3 lg:grid lg:min-h-0 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
        <div className="flex min-w-0 flex-col gap-3 max-lg:order-2 lg:min-h-0">
          <StepList key={task.id} task={task} />
          <MessageForm task={task} />
        </div>
        <div className="flex min-w-0 flex-col gap-3 lg:min-h-0 lg:overflow-y-auto">
          {task.status === "waiting_input" && task.question !== null && <AnswerForm task={task} />}
          <Outcome task={task} />
          <Request task={task} />
          <Facts task={task} />
        </div>
      </div>
    </div>
  )
}

export default TaskScreen
