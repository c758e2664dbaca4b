import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query"
import type { Notification, Task } from "@troupe/client"
import { service } from "./Service.ts"

/** What needs a person: a question of a task, or an end of one that nobody has seen. */
export type InboxEntry =
  | { readonly _tag: "question"; readonly id: string; readonly at: string; readonly task: Task }
  | { readonly _tag: "notification"; readonly id: string; readonly at: string; readonly notification: Notification }

export const inboxQuery = queryOptions({
  queryKey: ["notifications", "inbox"],
  queryFn: async (): Promise<ReadonlyArray<InboxEntry>> => {
    const [questions, unread] = await Promise.all([
      service.tasks.list({ status: "waiting_input", limit: 100 }),
      service.notifications.list({ unread: true, limit: 100 })
    ])
    return [
      ...questions.items.map((task): InboxEntry => ({
        _tag: "question",
        id: task.id,
        at: task.waiting_for?.since ?? task.updated_at,
        task
      })),
      // A question is there until it is answered, whether its notification was read or not.
      ...unread.items.filter(({ kind }) => kind !== "question").map((notification): InboxEntry => ({
        _tag: "notification",
        id: notification.id,
        at: notification.created_at,
        notification
      }))
    ].toSorted((a, b) => a.at.localeCompare(b.at))
  }
})

export const useMarkRead = () => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => service.notifications.markRead(id),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["notifications"] })
  })
}
