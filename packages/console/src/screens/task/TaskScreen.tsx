import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { type Task, TroupeError } from "@troupe/client"
import { useState } from "react"
import { Loading } from "../../parts/Loading.tsx"
import { useIsWide } from "../../parts/Media.ts"
import { Modal } from "../../parts/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useTitle } from "../../parts/Title.ts"
import { useTaskRights } from "../../service/Rights.ts"
import { storedText, storeText } from "../../service/Storage.ts"
import { taskQuery } from "../../service/TaskQueries.ts"
import { Facts } from "./Facts.tsx"
import { StepsView } from "./StepsView.tsx"
import { TaskHeader } from "./TaskHeader.tsx"
import { ThreadView } from "./thread/ThreadView.tsx"

const route = getRouteApi("/tasks/$taskId")

/** Where the browser keeps whether the facts are folded away. */
const foldedFacts = "troupe.folded-facts"

/** Why there is so little of the task of somebody else. */
const Visibility = ({ task }: { readonly task: Task }) =>
  useTaskRights(task).mayChange === false && (
    <p className="border-b bg-raised px-4 py-1.5">
      Only its creator, its assignee, the owner and admins see what the task is about, and may change it.
    </p>
  )

const TaskScreen = () => {
  const { taskId } = route.useParams()
  const { message, step, view } = route.useSearch()
  const isWide = useIsWide()
  const [isFolded, setIsFolded] = useState(storedText(foldedFacts) !== null)
  const [isAsked, setIsAsked] = useState(false)
  const { data: task, error, refetch } = useQuery(taskQuery(taskId))
  useTitle(task?.title ?? "Task")
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
  const hasFacts = isWide ? !isFolded : isAsked
  const toggleFacts = () => {
    if (!isWide) return setIsAsked(!isAsked)
    setIsFolded(!isFolded)
    storeText(foldedFacts, isFolded ? null : "yes")
  }
  const isSteps = view === "steps" || step !== undefined
  return (
    <div className="flex h-full flex-col">
      <TaskHeader task={task} view={isSteps ? "steps" : "thread"} hasFacts={hasFacts} onFacts={toggleFacts} />
      <Visibility task={task} />
      <div className="flex min-h-0 flex-1">
        <div className="min-w-0 flex-1">
          {isSteps
            ? <StepsView task={task} />
            : <ThreadView key={task.id} task={task} message={message} />}
        </div>
        {isWide && hasFacts && (
          <aside
            tabIndex={0}
            aria-label="Details"
            className="flex w-80 shrink-0 flex-col gap-3 overflow-y-auto border-l p-3 outline-offset-[-2px]"
          >
            <Facts task={task} />
          </aside>
        )}
      </div>
      {!isWide && isAsked && (
        <Modal isOpen onClose={() => setIsAsked(false)} title="Details">
          <div className="flex flex-col gap-3">
            <Facts task={task} />
          </div>
        </Modal>
      )}
    </div>
  )
}

export default TaskScreen
