import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useRouter } from "@tanstack/react-router"
import { useRef, useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { CheckCheck, Inbox } from "../../parts/Icons.ts"
import { useListKeys } from "../../parts/ListKeys.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { openNewTask } from "../../parts/Overlays.ts"
import { problemText } from "../../parts/Problem.tsx"
import { Screen } from "../../parts/Screen.tsx"
import {
  type InboxEntry,
  isOf,
  kindOf,
  maySee,
  projectTasksQuery,
  taskIdOf,
  useInbox,
  useMarkRead
} from "../../service/InboxQueries.ts"
import { tasksQuery } from "../../service/TaskQueries.ts"
import { FirstTasks } from "../tasks/NoTasks.tsx"
import { EntryCard } from "./EntryCard.tsx"
import { InboxFilters } from "./InboxFilters.tsx"

const route = getRouteApi("/")

/** Cards that are shown at once. */
const pageSize = 30

const NothingThere = ({ onAll, others }: { readonly others: number; readonly onAll: () => void }) => {
  const tasks = useInfiniteQuery(tasksQuery({}))
  if (tasks.data?.pages[0]?.items.length === 0) return <FirstTasks />
  return (
    <Empty icon={Inbox} title="Nothing needs you">
      <p>Questions of tasks appear here, then failures, then results; of each kind, the oldest first.</p>
      <p className="mt-4 flex justify-center gap-2">
        {others > 0 && <Button onClick={onAll}>Show all {others} of everyone</Button>}
        <Button kind="primary" onClick={() => openNewTask()}>New task</Button>
      </p>
    </Empty>
  )
}

const InboxScreen = () => {
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const router = useRouter()
  const inbox = useInbox(filter.whose === "all")
  const { data: all, isCut, me } = inbox
  const list = useRef<HTMLUListElement>(null)
  const [shown, setShown] = useState(pageSize)
  const markRead = useMarkRead()
  const ofProject = useQuery({
    ...projectTasksQuery(filter.project_id ?? ""),
    enabled: filter.project_id !== undefined
  }).data
  const entries = (all ?? []).filter((entry) =>
    (filter.kind === undefined || kindOf(entry) === filter.kind)
    && (filter.whose === "all" || isOf(me, entry))
    && (filter.project_id === undefined || ofProject?.has(taskIdOf(entry) ?? "") === true)
  )
  const projects = [
    ...new Set((all ?? []).flatMap((entry) => entry._tag === "question" ? entry.task.project_id ?? [] : []))
  ]
  const cards = () => list.current?.children
  const seen = (shown: ReadonlyArray<InboxEntry>) =>
    markRead.mutate(shown.flatMap((entry) => entry._tag === "notification" ? [entry.notification] : []), {
      onError: (cause) => toast.error("Not marked as seen", { description: problemText(cause) })
    })
  const done = (entry: InboxEntry) => {
    if (entry._tag === "question") {
      cards()?.[entries.indexOf(entry)]?.querySelector("textarea")?.focus()
      return
    }
    if (maySee(me, entry)) seen([entry])
  }
  const current = useListKeys({
    entries,
    onMove: (index) => {
      setShown((before) => Math.max(before, index + 10))
      cards()?.[index]?.scrollIntoView({ block: "nearest" })
    },
    elementOf: (index) => cards()?.[index]?.querySelector("article"),
    onOpen: (entry) => {
      const taskId = taskIdOf(entry)
      if (taskId !== null) void router.navigate({ to: "/tasks/$taskId", params: { taskId } })
    },
    onDone: done
  })
  const results = entries.filter((entry) => kindOf(entry) === "result")
  return (
    <Screen
      title="Inbox"
      actions={
        <>
          <InboxFilters
            filter={filter}
            projects={projects}
            onChange={(next) => void navigate({ search: next, replace: true })}
          />
          <Button
            size="small"
            disabled={results.length === 0 || markRead.isPending}
            onClick={() => seen(results)}
          >
            <CheckCheck aria-hidden /> All results seen
          </Button>
        </>
      }
    >
      <div
        className="h-full overflow-y-auto outline-offset-[-2px]"
        tabIndex={0}
        role="group"
        aria-label="What needs a person"
      >
        <Loaded errorLook="p-3" name="inbox" query={inbox}>
          {(all) =>
            entries.length === 0
              ? (
                <NothingThere
                  others={filter.whose === "all" ? 0 : all.length}
                  onAll={() => void navigate({ search: { whose: "all" }, replace: true })}
                />
              )
              : (
                <ul ref={list} className="mx-auto flex max-w-3xl flex-col gap-3 p-3">
                  {entries.slice(0, shown).map((entry, index) => (
                    <li key={entry.id}>
                      <EntryCard
                        entry={entry}
                        isCurrent={index === current}
                        onDone={maySee(me, entry) ? () => done(entry) : undefined}
                      />
                    </li>
                  ))}
                </ul>
              )}
        </Loaded>
        {isCut && (
          <p className="px-3 pb-3 text-center text-muted">
            These are the newest. Older questions and failures are under{" "}
            <Link to="/tasks" search={{ status: "waiting_input" }} className="text-accent underline">Tasks</Link>.
          </p>
        )}
        {entries.length > shown && (
          <div className="flex justify-center p-3">
            <Button onClick={() => setShown(shown + pageSize)}>Show more ({entries.length - shown})</Button>
          </div>
        )}
      </div>
    </Screen>
  )
}

export default InboxScreen
