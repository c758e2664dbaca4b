import { type QueryClient, queryOptions, skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Notification, Page, SignedIn, Task } from "@troupe/client"
import { wholeList } from "./Paged.ts"
import { service } from "./Service.ts"
import { sessionQuery } from "./SessionQueries.ts"
import { userNamesQuery } from "./UserNames.ts"

/** What needs a person: a question of a task, or an end of one that nobody has seen. */
export type InboxEntry =
  | { readonly _tag: "question"; readonly id: string; readonly at: string; readonly task: Task }
  | { readonly _tag: "notification"; readonly id: string; readonly at: string; readonly notification: Notification }

interface Inbox {
  readonly entries: ReadonlyArray<InboxEntry>
  /** Whether there are older ones, too. */
  readonly isCut: boolean
}

export type InboxKind = "failure" | "question" | "result"

const wasStopped = ({ ended_by }: Notification): boolean => ended_by === "limit" || ended_by === "budget"

/** A task that was stopped at its limit or budget has no result yet: it counts with those that failed. */
export const kindOf = (entry: InboxEntry): InboxKind =>
  entry._tag === "question"
    ? "question"
    : entry.notification.kind === "failure" || wasStopped(entry.notification)
    ? "failure"
    : "result"

export const taskIdOf = (entry: InboxEntry): string | null =>
  entry._tag === "question" ? entry.task.id : entry.notification.task_id

/** Whether it is for this person, and not only for anybody who looks after the service. */
export const isOf = (person: string | undefined, entry: InboxEntry): boolean =>
  entry._tag === "question"
    ? (entry.task.waiting_for?.who ?? entry.task.creator) === person
      || entry.task.approvals.some(({ status, who }) => status === "open" && who.some((one) => one === person))
    : entry.notification.user_id === person

/** Whether the notification belongs to this person or to the system user, whose feed the owner and admins read. */
export const maySee = (person: string | undefined, entry: InboxEntry): boolean =>
  isOf(person, entry) || entry._tag === "notification" && entry.notification.user_id === systemUser

const limit = 200

/** Requests that are sent side by side. */
const concurrency = 4

/** Runs for all of them, a few at a time. */
const inTurns = async <A, B>(all: ReadonlyArray<A>, run: (one: A) => Promise<B>): Promise<ReadonlyArray<B>> => {
  const open = all.values()
  const done: Array<B> = []
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const one of open) done.push(await run(one))
  }))
  return done
}

/** Of each list, which comes with its newest entries first; the inbox shows the oldest of them first. */
const maxEntries = 1_000

const whole = <A>(load: Parameters<typeof wholeList<A>>[1]) => wholeList(limit, load, maxEntries)

/** The owner of tasks that nobody asked for, such as those of webhooks. */
const systemUser = "system"

const noNotifications: Page<Notification> = { items: [], next: null }

const unreadOf = (user: string) => whole((page) => service.notifications.list({ unread: true, ...page }, { user }))

const entryOf = (notification: Notification): InboxEntry => ({
  _tag: "notification",
  id: notification.id,
  at: notification.created_at,
  notification
})

const kindOrder = ["question", "failure", "result"] as const

/** What waits for a person comes before results; of each kind, the oldest first. */
const byNeed = (one: InboxEntry, other: InboxEntry) =>
  kindOrder.indexOf(kindOf(one)) - kindOrder.indexOf(kindOf(other)) || one.at.localeCompare(other.at)

/** The system user appears with the first webhook. */
const unreadOfSystem = async (client: QueryClient) =>
  (await client.fetchQuery(userNamesQuery)).has(systemUser) ? unreadOf(systemUser) : noNotifications

const inboxKey = ["notifications", "inbox"]
const othersKey = ["failuresOfOthers"]
const feeds = [["notifications"], othersKey]

const inboxQuery = ({ role, user }: SignedIn) =>
  queryOptions({
    queryKey: [...inboxKey, user.id, role],
    queryFn: async ({ client }): Promise<Inbox> => {
      const [questions, mine, others] = await Promise.all([
        whole((page) => service.tasks.list({ status: "waiting_input", ...page })),
        unreadOf(user.id),
        role === "member" ? noNotifications : unreadOfSystem(client)
      ])
      const entries = [
        // A member sees that a task of somebody else asks, but not what.
        ...questions.items.filter(({ question }) => question !== null).map((task): InboxEntry => ({
          _tag: "question",
          id: task.id,
          at: task.waiting_for?.since ?? task.updated_at,
          task
        })),
        // A question is there until it is answered, whether its notification was read or not.
        ...[...mine.items, ...others.items].filter(({ kind }) => kind !== "question").map(entryOf)
      ].toSorted(byNeed)
      return { entries, isCut: [questions, mine, others].some(({ next }) => next !== null) }
    }
  })

/** Maximum number of feeds read for failures: of the creators of the newest failed tasks. */
const maxPeople = 50

/** The failures of others that they have not seen, for who looks after the service. */
const failuresOfOthersQuery = (me: string) =>
  queryOptions({
    queryKey: [...othersKey, me],
    queryFn: async (): Promise<ReadonlyArray<InboxEntry>> => {
      const { items } = await whole((page) => service.list({ status: "failed", ...page }))
      const people = new Set(items.map(({ creator }) => creator))
      people.delete(me)
      people.delete(systemUser)
      const feeds = await inTurns([...people].slice(0, maxPeople), unreadOf)
      return feeds.flatMap(({ items }) => items).filter(({ kind }) => kind === "failure").map(entryOf)
    }
  })

/** All that needs a person, questions first, and who works here; `ofEveryone`: with the failures of others, where one may. */
export const useInbox = (ofEveryone = false) => {
  const who = useQuery(sessionQuery)
  const session = who.data
  const me = session?.user.id
  const query = useQuery(
    session === undefined ? { queryKey: ["notifications"], queryFn: skipToken } : inboxQuery(session)
  )
  const mayRead = ofEveryone && session !== undefined && session.role !== "member"
  const others = useQuery({ ...failuresOfOthersQuery(me ?? ""), enabled: mayRead })
  const data = mayRead && others.data !== undefined && query.data !== undefined
    ? [...query.data.entries, ...others.data].toSorted(byNeed)
    : query.data?.entries
  return {
    data,
    isCut: query.data?.isCut === true,
    error: session === undefined ? who.error : query.error ?? others.error,
    refetch: () =>
      session === undefined ? who.refetch() : Promise.all([query.refetch(), mayRead ? others.refetch() : undefined]),
    me
  }
}

/** The tasks of a project: notifications do not name theirs. */
export const projectTasksQuery = (project: string) =>
  queryOptions({
    queryKey: ["projectTasks", project],
    queryFn: async () =>
      new Set(
        (await whole((page) => service.list({ project_id: project, include_archived: true, ...page }))).items
          .map(({ id }) => id)
      )
  })

/** The last steps of a task before its question. */
export const recentStepsQuery = (task: Task) =>
  queryOptions({
    queryKey: ["recentSteps", task.id, task.last_tool_call_id],
    queryFn: async () => (await service.taskSteps.list(task.id, { limit: 6 })).items,
    staleTime: Infinity
  })

/** Brings entries back that were marked as read. */
export const useMarkUnread = () => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (notifications: ReadonlyArray<Notification>) =>
      inTurns(notifications, ({ id, user_id }) => service.notifications.markUnread(id, { user: user_id })),
    onSettled: () => Promise.all(feeds.map((queryKey) => cache.invalidateQueries({ queryKey })))
  })
}

const markReadKey = ["markRead"]

/** Marks all entries as read: they leave the inbox at once, which is reloaded after the last change. Fails with the first error. */
export const useMarkRead = () => {
  const cache = useQueryClient()
  return useMutation({
    mutationKey: markReadKey,
    mutationFn: async (notifications: ReadonlyArray<Notification>) => {
      const failures: Array<unknown> = []
      await inTurns(
        notifications,
        ({ id, user_id }) =>
          service.notifications.markRead(id, { user: user_id }).catch((error: unknown) => failures.push(error))
      )
      if (failures.length > 0) throw failures[0]
    },
    onMutate: (notifications) => {
      const read = new Set(notifications.map(({ id }) => id))
      const without = (entries: ReadonlyArray<InboxEntry>) => entries.filter(({ id }) => !read.has(id))
      // A list that is on its way still has them.
      for (const queryKey of feeds) void cache.cancelQueries({ queryKey }, { revert: false })
      cache.setQueriesData<Inbox>(
        { queryKey: inboxKey },
        (inbox) => inbox && { ...inbox, entries: without(inbox.entries) }
      )
      cache.setQueriesData<ReadonlyArray<InboxEntry>>({ queryKey: othersKey }, (entries) => entries && without(entries))
    },
    onSettled: () => {
      if (cache.isMutating({ mutationKey: markReadKey }) > 1) return
      for (const queryKey of feeds) void cache.invalidateQueries({ queryKey })
    }
  })
}

/** Marks as read what the inbox says of the end of a task: whoever goes on from it has seen it. */
export const useSeenEnd = (taskId: string) => {
  const { data, me } = useInbox()
  const { mutate } = useMarkRead()
  return () => {
    const seen =
      data?.flatMap((entry) =>
        entry._tag === "notification" && entry.notification.task_id === taskId && isOf(me, entry)
          ? [entry.notification]
          : []
      ) ?? []
    if (seen.length > 0) mutate(seen)
  }
}
