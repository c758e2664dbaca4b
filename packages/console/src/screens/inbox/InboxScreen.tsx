import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { Inbox } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { toast } from "sonner"
import { useListKeys } from "../../app/ListKeys.ts"
import { openNewTask } from "../../app/Overlays.ts"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Problem, problemText } from "../../parts/Problem.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { type InboxEntry, inboxQuery, useMarkRead } from "../../service/InboxQueries.ts"
import { tasksQuery } from "../../service/TaskQueries.ts"
import { FirstTasks } from "../tasks/NoTasks.tsx"
import { EntryCard } from "./EntryCard.tsx"

const kinds = ["All", "Questions", "Failures", "Results"] as const

const isOfKind = (kind: (typeof kinds)[number], entry: InboxEntry) =>
  kind === "All"
  || (kind === "Questions"
    ? entry._tag === "question"
    : entry._tag === "notification" && (entry.notification.kind === "failure") === (kind === "Failures"))

const taskOf = (entry: InboxEntry) => entry._tag === "question" ? entry.task.id : entry.notification.task_id

const NothingThere = () => {
  const tasks = useInfiniteQuery(tasksQuery({}))
  return tasks.data?.pages[0]?.items.length === 0 ? <FirstTasks /> : (
    <Empty icon={Inbox} title="Nothing needs you">
      <p>Questions of tasks, failures and results appear here, the oldest first.</p>
      <Button className="mt-4" kind="primary" onClick={() => openNewTask()}>New task</Button>
    </Empty>
  )
}

const InboxScreen = () => {
  const { data: all, error, refetch } = useQuery(inboxQuery)
  const [kind, setKind] = useState<(typeof kinds)[number]>("All")
  const router = useRouter()
  const list = useRef<HTMLUListElement>(null)
  const markRead = useMarkRead()
  const entries = all?.filter((entry) => isOfKind(kind, entry)) ?? []
  const done = (entry: InboxEntry) => {
    if (entry._tag === "question") return
    markRead.mutate(entry.id, {
      onError: (error) => toast.error("Not marked as seen", { description: problemText(error) })
    })
  }
  const current = useListKeys({
    entries,
    onMove: (index) => list.current?.children[index]?.scrollIntoView({ block: "nearest" }),
    onOpen: (entry) => {
      const taskId = taskOf(entry)
      if (taskId !== null) void router.navigate({ to: "/tasks/$taskId", params: { taskId } })
    },
    onDone: done
  })
  const count = all?.length ?? 0
  useEffect(() => {
    document.title = count === 0 ? "Inbox · Troupe" : `(${count}) Inbox · Troupe`
  }, [count])
  return (
    <Screen
      title="Inbox"
      actions={
        <div role="group" aria-label="Kind" className="flex gap-1">
          {kinds.map((name) => (
            <Button
              key={name}
              size="small"
              kind="ghost"
              aria-pressed={kind === name}
              className="aria-pressed:bg-raised aria-pressed:text-text"
              onClick={() => setKind(name)}
            >
              {name}
            </Button>
          ))}
        </div>
      }
    >
      <div className="h-full overflow-y-auto" tabIndex={0} role="group" aria-label="What needs a person">
        {error !== null && (
          <div className="p-3">
            <Problem error={error} title="The inbox could not be loaded" onRetry={() => void refetch()} />
          </div>
        )}
        {all === undefined ? error === null && <Loading /> : entries.length === 0
          ? <NothingThere />
          : (
            <ul ref={list} className="mx-auto flex max-w-3xl flex-col gap-3 p-3">
              {entries.map((entry, index) => (
                <li key={entry.id}>
                  <EntryCard entry={entry} isCurrent={index === current} onDone={() => done(entry)} />
                </li>
              ))}
            </ul>
          )}
      </div>
    </Screen>
  )
}

export default InboxScreen
