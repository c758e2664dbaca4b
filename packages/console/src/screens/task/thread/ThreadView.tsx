import { useVirtualizer } from "@tanstack/react-virtual"
import type { Task } from "@troupe/client"
import { useEffect, useLayoutEffect, useRef, useState } from "react"
import { useFollowedEnd } from "../../../parts/FollowedEnd.ts"
import { useListKeys } from "../../../parts/ListKeys.ts"
import { Loading } from "../../../parts/Loading.tsx"
import { Problem } from "../../../parts/Problem.tsx"
import { RichText } from "../../../parts/RichText.tsx"
import { useTaskRights } from "../../../service/Rights.ts"
import { useLiveText } from "../LiveText.ts"
import { isFinished } from "../TaskState.ts"
import { AnsweredAbove, isAnsweredAbove } from "./AnsweredAbove.tsx"
import { Composer } from "./Composer.tsx"
import { FoldsContext, useFoldsState } from "./Folds.ts"
import { placeOf } from "./Thread.ts"
import { ThreadEntry } from "./ThreadEntry.tsx"
import type { ThreadItem } from "./ThreadItem.ts"
import { useThread } from "./useThread.ts"

/** Heights before an entry is measured. */
const estimates: Readonly<Record<ThreadItem["_tag"], number>> = {
  branches: 60,
  end: 320,
  folded: 44,
  message: 100,
  note: 36,
  older: 44,
  question: 150,
  request: 120,
  subtask: 52,
  words: 80,
  work: 44
}

const depths = ["", "pl-6", "pl-12"] as const

const LiveText = ({ seq, task }: { readonly task: Task; readonly seq: number | undefined }) => {
  const live = useLiveText(task, seq)
  return live === "" ?
    null :
    (
      <div role="log" aria-label="What the model writes" className="border-l-2 border-accent pl-3">
        <RichText text={live} />
      </div>
    )
}

/** A task as a conversation: what was asked, what the agent did, and what it came to, with a composer at its end. */
export const ThreadView = ({ message, task }: {
  readonly task: Task
  /** The step that the address leads to. */
  readonly message: number | undefined
}) => {
  const thread = useThread(task)
  const { items, last, toggle } = thread
  const folds = useFoldsState()
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  // Work is watched at its end, and a result is read from its beginning, also when it comes.
  const [isAtEndFirst] = useState(message === undefined && !isFinished(task))
  const isFollowed = useRef(isAtEndFirst)
  const follow = useFollowedEnd(isFollowed)
  const isOver = isFinished(last)
  const asked = last.status === "waiting_input"
    ? items.findIndex((item) => item._tag === "question" && item.isOpen)
    : -1
  const isAsked = asked >= 0
  useEffect(() => isOver || isAsked ? undefined : follow(scroller), [follow, isAsked, isOver, scroller])
  const [isLoadingOlder, setIsLoadingOlder] = useState(false)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => estimates[items[index]?._tag ?? "words"],
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 8
  })
  const focused = useListKeys({
    entries: items,
    onMove: (index) => rows.scrollToIndex(index),
    elementOf: (index) => scroller?.querySelector<HTMLElement>(`[data-index="${index}"]`),
    onOpen: ({ id }) => scroller?.querySelector<HTMLElement>(`[data-item="${id}"] button[aria-expanded]`)?.click()
  })
  const place = message === undefined
    ? items.findLastIndex(({ _tag, taskId }) => _tag === "end" && taskId === task.id)
    : placeOf(items, task.id, message)
  const { isLoaded } = thread
  const target = useRef(place)
  target.current = place
  useEffect(() => {
    // Whoever reads elsewhere while the task ends stays there.
    if (!isLoaded || scroller === null || (isAtEndFirst && !(isOver && isFollowed.current)) || target.current < 0) {
      return
    }
    rows.scrollToIndex(target.current, { align: "start" })
  }, [rows, isLoaded, isAtEndFirst, isOver, message, scroller])
  // A question is read from its beginning, too: a mail to approve begins with whom it goes to.
  const question = items[asked]?.id
  const questionPlace = useRef(asked)
  questionPlace.current = asked
  useEffect(() => {
    if (!isLoaded || scroller === null || question === undefined || !isFollowed.current) return
    rows.scrollToIndex(questionPlace.current, { align: "start" })
  }, [rows, isLoaded, question, scroller])
  // What is read stays where it is when earlier entries appear above it.
  const shown = rows.getVirtualItems()
  const top = useRef<{ readonly id: string; readonly start: number } | null>(null)
  useLayoutEffect(() => {
    if (top.current === null || scroller === null) return
    const index = items.findIndex(({ id }) => id === top.current?.id)
    const start = rows.measurementsCache[index]?.start
    if (start !== undefined && start !== top.current.start) scroller.scrollTop += start - top.current.start
  }, [items, rows, scroller])
  useLayoutEffect(() => {
    const first = shown.find(({ end, index }) =>
      end > (scroller?.scrollTop ?? 0) && items[index] !== undefined && items[index]._tag !== "older"
    )
    const id = first === undefined ? undefined : items[first.index]?.id
    top.current = first === undefined || id === undefined ? null : { id, start: first.start }
  })
  const loadOlder = () => {
    setIsLoadingOlder(true)
    void thread.loadOlder().catch(() => undefined).finally(() => setIsLoadingOlder(false))
  }
  const mayWrite = useTaskRights(last).mayChange === true
  return (
    <FoldsContext value={folds}>
      <section aria-label="Conversation" className="flex h-full min-w-0 flex-col">
        <div
          ref={setScroller}
          tabIndex={0}
          role="group"
          aria-label="Messages"
          // The browser would keep the place of an entry that grows, against the list and the end that is followed.
          className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-offset-[-2px] [overflow-anchor:none]"
        >
          <div className="mx-auto max-w-[48rem] px-6 pt-4 pb-2 max-md:px-3">
            {thread.error !== null && (
              <div className="mb-3">
                <Problem
                  error={thread.error}
                  title="The conversation could not be loaded"
                  onRetry={() => void thread.retry()}
                />
              </div>
            )}
            {!isLoaded && thread.error === null && <Loading />}
            <ol className="relative" style={{ height: rows.getTotalSize() }}>
              {isLoaded && shown.map(({ index, key, start }) => {
                const item = items[index]
                return item === undefined ? null : (
                  <li
                    key={key}
                    ref={rows.measureElement}
                    data-index={index}
                    data-item={item.id}
                    tabIndex={-1}
                    className={`absolute inset-x-0 pb-3 outline-offset-[-2px] ${depths[item.depth] ?? depths[2]} ${
                      index === focused || (message !== undefined && index === place)
                        ? "before:absolute before:top-0 before:bottom-3 before:-left-3 before:w-0.5 before:rounded-full before:bg-accent"
                        : ""
                    }`}
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    <ThreadEntry
                      item={item}
                      task={task}
                      asking={last.status === "waiting_input" ? last : undefined}
                      isLoading={isLoadingOlder}
                      onLoad={loadOlder}
                      onToggle={toggle}
                    />
                  </li>
                )
              })}
            </ol>
            {isLoaded && !isOver && <LiveText task={last} seq={thread.newest ?? 0} />}
          </div>
        </div>
        {isLoaded && mayWrite && (
          isAnsweredAbove(last)
            ? <AnsweredAbove task={last} />
            : <Composer task={last} newest={thread.newest ?? 0} />
        )}
      </section>
    </FoldsContext>
  )
}
