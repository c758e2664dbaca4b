import { useQuery } from "@tanstack/react-query"
import type { Task } from "@troupe/client"
import { sessionQuery } from "./SessionQueries.ts"
import { taskQuery } from "./TaskQueries.ts"

/** Whether only an owner or admin may do what a place or button offers; `undefined`: not known yet. */
export const useMayOperate = (): boolean | undefined => {
  const session = useQuery(sessionQuery).data
  return session === undefined ? undefined : session.role !== "member"
}

/**
 * Whether who works here may read the content of a task and change it, and whether also archive and delete it; `undefined`:
 * not known yet. The service decides; this only leaves out what it would refuse.
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
