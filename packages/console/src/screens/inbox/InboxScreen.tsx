import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useRouter } from "@tanstack/react-router"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { CheckCheck, Inbox } from "../../parts/Icons.ts"
import { useListKeys } from "../../parts/ListKeys.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { numberText } from "../../parts/Numbers.ts"
import { openNewTask } from "../../parts/Overlays.ts"
import { problemText } from "../../parts/Problem.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { Time } from "../../parts/Time.tsx"
import { offerUndo } from "../../parts/Undo.ts"
import {
  type InboxEntry,
  type InboxKind,
  isOf,
  kindOf,
  maySee,
  projectTasksQuery,
  taskIdOf,
  useInbox,
  useMarkRead,
  useMarkUnread
} from "../../service/InboxQueries.ts"
import { tasksQuery } from "../../service/TaskQueries.ts"
import { FirstTasks } from "../tasks/NoTasks.tsx"
import { EntryRow } from "./EntryRow.tsx"
import { FirstRun } from "./FirstRun.tsx"
import { InboxFilters, kindNames } from "./InboxFilters.tsx"
import { type InboxRow, type InboxSection, sectionsOf } from "./InboxRows.ts"
import { NeedsAttention } from "./NeedsAttention.tsx"

const route = getRouteApi("/")

/** Rows that are shown at once. */
const pageSize = 100

const NothingThere = ({ kind, onAll, onAllKinds, ofOtherKinds, others }: {
  readonly kind: InboxKind | undefined
  /** Entries that are hidden by the chosen kind. */
  readonly ofOtherKinds: number
  readonly onAllKinds: () => void
  readonly others: number
  readonly onAll: () => void
}) => {
  const tasks = useInfiniteQuery(tasksQuery({}))
  if (tasks.data?.pages[0]?.items.length === 0) return <FirstTasks />
  const isHidden = kind !== undefined && ofOtherKinds > 0
  return (
    <Empty icon={Inbox} title={isHidden ? `${kindNames[kind]}: none` : "You are all caught up"}>
      <p>Questions, failed and stopped tasks, and results appear here, the oldest first.</p>
      <p className="mt-4 flex justify-center gap-2">
        {isHidden
          ? <Button onClick={onAllKinds}>Show the {ofOtherKinds} of other kinds</Button>
          : others > 0 && <Button onClick={onAll}>Show all {others} of everyone</Button>}
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
  const list = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState(pageSize)
  const markRead = useMarkRead()
  const markUnread = useMarkUnread()
  const ofProject = useQuery({
    ...projectTasksQuery(filter.project_id ?? ""),
    enabled: filter.project_id !== undefined
  }).data
  const { kind, project_id, whose } = filter
  const ofAllKinds = useMemo(() =>
    (all ?? []).filter((entry) =>
      (whose === "all" || isOf(me, entry))
      && (project_id === undefined || ofProject?.has(taskIdOf(entry) ?? "") === true)
    ), [all, me, ofProject, project_id, whose])
  const entries = useMemo(
    () => kind === undefined ? ofAllKinds : ofAllKinds.filter((entry) => kindOf(entry) === kind),
    [kind, ofAllKinds]
  )
  const projects = [
    ...new Set((all ?? []).flatMap((entry) => entry._tag === "question" ? entry.task.project_id ?? [] : []))
  ]
  const sections = useMemo(() => sectionsOf(entries), [entries])
  const rows = sections.flatMap(({ rows }) => rows)
  // The open one stays open; when it leaves, the one that takes its place opens.
  const [open, setOpen] = useState<{ readonly id: string | null; readonly index: number }>({ id: "", index: 0 })
  const openRow = open.id === null
    ? undefined
    : rows.find(({ id }) => id === open.id) ?? rows[open.index] ?? rows.at(-1)
  useEffect(() => {
    if (openRow !== undefined && openRow.id !== open.id) setOpen({ id: openRow.id, index: rows.indexOf(openRow) })
  })
  const elementOf = (index: number) => list.current?.querySelectorAll<HTMLElement>("h3 > button")[index]
  const seen = (shown: ReadonlyArray<InboxEntry>) => {
    const notifications = shown.flatMap((entry) => entry._tag === "notification" ? [entry.notification] : [])
    // The offer is about the last entries that were seen.
    offerUndo(
      notifications.length === 1 ? "Marked as seen" : `${numberText(notifications.length)} marked as seen`,
      () => markUnread.mutateAsync(notifications),
      "seen"
    )
    markRead.mutate(notifications, {
      onError: (cause) => toast.error("Not marked as seen", { description: problemText(cause) })
    })
  }
  const done = (row: InboxRow) => {
    if (row.kind === "question") list.current?.querySelector("textarea")?.focus()
    else seen(row.entries.filter((entry) => maySee(me, entry)))
  }
  const current = useListKeys({
    entries: rows,
    onMove: (index) => {
      setShown((before) => Math.max(before, index + 10))
      setOpen({ id: rows[index]?.id ?? null, index })
      elementOf(index)?.scrollIntoView({ block: "nearest" })
    },
    elementOf,
    onOpen: ({ entries: [entry] }) => {
      const taskId = taskIdOf(entry)
      if (taskId !== null) void router.navigate({ to: "/tasks/$taskId", params: { taskId } })
    },
    onDone: done
  })
  const latest = useRef({ done, rows })
  latest.current = { done, rows }
  // Rows are drawn again only when something of them changes.
  const onDone = useCallback((row: InboxRow) => latest.current.done(row), [])
  const onToggle = useCallback((row: InboxRow) => {
    const index = latest.current.rows.indexOf(row)
    setOpen((before) => before.id === row.id ? { id: null, index } : { id: row.id, index })
  }, [])
  const firstOf = (kind: InboxSection["kind"]) => rows.findIndex((row) => row.kind === kind)
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
        </>
      }
    >
      <div
        className="h-full overflow-y-auto outline-offset-[-2px]"
        tabIndex={0}
        role="group"
        aria-label="What needs a person"
      >
        <FirstRun />
        <NeedsAttention />
        <Loaded errorLook="p-3" name="inbox" query={inbox}>
          {(all) =>
            entries.length === 0
              ? (
                <NothingThere
                  kind={kind}
                  ofOtherKinds={ofAllKinds.length}
                  onAllKinds={() => {
                    const { kind: _, ...others } = filter
                    void navigate({ search: others, replace: true })
                  }}
                  others={filter.whose === "all" ? 0 : all.length}
                  onAll={() => void navigate({ search: { whose: "all" }, replace: true })}
                />
              )
              : (
                <div ref={list} className="mx-auto max-w-4xl p-3">
                  {sections.filter(({ kind }) => firstOf(kind) < shown).map(({ kind, oldest, rows: ofKind }) => (
                    <section key={kind} aria-label={kindNames[kind]} className="mb-4">
                      <header className="flex min-h-9 items-center gap-3">
                        <h2 className="font-semibold">
                          {kindNames[kind]} <span className="font-normal text-muted">{numberText(ofKind.length)}</span>
                        </h2>
                        <p className="mr-auto text-xs text-muted">
                          oldest <Time at={oldest} />
                        </p>
                        {kind === "result" && (
                          <Button
                            size="small"
                            kind="ghost"
                            disabled={markRead.isPending}
                            onClick={() =>
                              seen(entries.filter((entry) => kindOf(entry) === kind && maySee(me, entry)))}
                          >
                            <CheckCheck aria-hidden /> All results seen
                          </Button>
                        )}
                      </header>
                      <ul className="overflow-hidden rounded-lg border [&>li:last-child>article]:border-b-0">
                        {ofKind.slice(0, Math.max(shown - firstOf(kind), 0)).map((row) => (
                          <li key={row.id}>
                            <EntryRow
                              row={row}
                              isCurrent={row.id === rows[current]?.id}
                              isOpen={row.id === openRow?.id}
                              onToggle={onToggle}
                              onDone={row.entries.some((entry) => maySee(me, entry))
                                ? onDone
                                : undefined}
                            />
                          </li>
                        ))}
                      </ul>
                    </section>
                  ))}
                </div>
              )}
        </Loaded>
        {isCut && (
          <p className="px-3 pb-3 text-center text-muted">
            These are the newest. Older questions and failures are under{" "}
            <Link to="/tasks" search={{ status: "waiting_input" }} className="text-accent underline">Tasks</Link>.
          </p>
        )}
        {rows.length > shown && (
          <div className="flex justify-center p-3">
            <Button onClick={() => setShown(shown + pageSize)}>Show more ({numberText(rows.length - shown)})</Button>
          </div>
        )}
      </div>
    </Screen>
  )
}

export default InboxScreen
