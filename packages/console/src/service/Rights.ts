import { useQuery } from "@tanstack/react-query"
import type { Task } from "@troupe/client"
import { sessionQuery } from "./SessionQueries.ts"
import { type TaskFilter, taskQuery } from "./TaskQueries.ts"

/** Whether only an owner or admin may do what a place or button offers; `undefined`: not known yet. */
export const useMayOperate = (): boolean | undefined => {
  const session = useQuery(sessionQuery).data
  return session === undefined ? undefined : session.role !== "member"
}

/**
 * Whether the signed-in person may read the content of a task and change it, and whether also archive and delete it;
 * `undefined`: not known yet. It only hides buttons: the service checks every request.
 */
export const useTaskRights = (task: Task) => {
  const me = useQuery(sessionQuery).data?.user.id
  const mayOperate = useMayOperate()
  const parent = useQuery({ ...taskQuery(task.parent_task_id ?? ""), enabled: task.parent_task_id !== null }).data
  return {
    mayChange: mayOperate === false
      ? [task.creator, task.assignee, parent?.creator, parent?.assignee].includes(me)
      : mayOperate,
    mayDelete: mayOperate === false ? [task.creator, parent?.creator].includes(me) : mayOperate
  }
}

/** What of a filter a person may change as a whole: a member only the own tasks. */
export const useOwnFilter = (filter: TaskFilter): TaskFilter => {
  const me = useQuery(sessionQuery).data?.user.id
  return useMayOperate() === false && me !== undefined && filter.creator === undefined
    ? { ...filter, creator: me }
    : filter
}

/** Whether a person may change any task of such a list. */
export const useMayChangeAll = ({ creator }: TaskFilter): boolean => {
  const me = useQuery(sessionQuery).data?.user.id
  const mayOperate = useMayOperate()
  return mayOperate === true || mayOperate === false && (creator === undefined || creator === me)
}
