import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient
} from "@tanstack/react-query"
import type { ApprovalsRequest, NewTask, Task, TaskQuery } from "@troupe/client"
import { reloadTaskFigures, reloadTasks } from "./LiveLists.ts"
import { service } from "./Service.ts"

/** The filter of a list of tasks, named as the parameters of `GET /tasks`. */
export type TaskFilter = Omit<TaskQuery, "cursor" | "limit">

/** Without log lines: the screen shows the steps instead. */
export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: ["task", id],
    queryFn: () => service.tasks.find(id, { logs: false }),
    // The places of a worker change by the events of other tasks.
    refetchInterval: ({ state }) => state.data?.waiting_for?.reason === "place" ? 5_000 : false
  })

export const tasksQuery = (filter: TaskFilter) =>
  infiniteQueryOptions({
    queryKey: ["tasks", filter],
    queryFn: ({ pageParam }) =>
      service.list({ ...filter, limit: 100, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    // Events say which pages change.
    staleTime: Infinity
  })

/** How many tasks have each status, whatever status the filter names. */
export const countsQuery = (shown: TaskFilter) => {
  const { status: _, ...filter } = shown
  return queryOptions({ queryKey: ["tasks", "counts", filter], queryFn: () => service.tasks.counts(filter) })
}

/** After a change of a task; of the lists only the pages are read again that it is on. */
const reloadTask = async (cache: QueryClient, id: string): Promise<void> => {
  void reloadTaskFigures(cache)
  for (const key of ["notifications", "projectTasks"]) void cache.invalidateQueries({ queryKey: [key] })
  await Promise.all([cache.invalidateQueries({ queryKey: ["task", id] }), reloadTasks(cache, new Set([id]))])
}

const useTaskChange = <A>(change: (input: A) => Promise<Task>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: ({ id }) => reloadTask(cache, id)
  })
}

export const useSubmit = () =>
  useTaskChange(({ idempotencyKey, task }: { readonly task: NewTask; readonly idempotencyKey: string }) =>
    service.submit(task, { idempotencyKey })
  )

/** A change that sends a text. Its field may be gone once the caches are current, so `onSent` is called before. */
const useSent = (send: (text: string) => Promise<Task>, onSent: () => void) =>
  useTaskChange(async (text: string) => {
    const task = await send(text)
    onSent()
    return task
  })

/** The answer counts for the question that was shown, and for no later one. */
export const useAnswer = ({ id, last_tool_call_id }: Pick<Task, "id" | "last_tool_call_id">, onSent: () => void) =>
  useSent(
    (answer) => service.answer(id, answer, last_tool_call_id === null ? {} : { tool_call_id: last_tool_call_id }),
    onSent
  )

/** Answers the form of a question. */
export const useFields = ({ id, last_tool_call_id }: Pick<Task, "id" | "last_tool_call_id">) =>
  useTaskChange((fields: Record<string, unknown>) =>
    service.answer(id, "", { fields, ...(last_tool_call_id === null ? {} : { tool_call_id: last_tool_call_id }) })
  )

export const useMessage = (id: string, onSent: () => void) => useSent((message) => service.message(id, message), onSent)

/** Decides about calls that ask for approval: all of the decisions apply, or none. */
export const useDecide = (id: string) =>
  useTaskChange(async (decisions: ApprovalsRequest["decisions"]) =>
    (await service.approvals.decide(id, { decisions })).task
  )

export const useCancel = (id: string) =>
  useTaskChange((reason: string) => service.cancel(id, reason === "" ? undefined : reason))

/** Archives a task that is not archived, and deletes one that is. */
export const useRemove = (id: string) => {
  const cache = useQueryClient()
  return useMutation({ mutationFn: () => service.tasks.remove(id), onSuccess: () => reloadTask(cache, id) })
}

export const useRestore = (id: string) => {
  const cache = useQueryClient()
  return useMutation({ mutationFn: () => service.tasks.restore(id), onSuccess: () => reloadTask(cache, id) })
}

export const useRetry = (id: string) => useTaskChange(() => service.retry(id))
