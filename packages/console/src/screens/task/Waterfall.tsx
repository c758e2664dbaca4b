import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useVirtualizer } from "@tanstack/react-virtual"
import type { Task } from "@troupe/client"
import { useEffect, useMemo, useRef } from "react"
import { Problem } from "../../parts/Problem.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { durationText, useNow } from "../../parts/Time.tsx"
import { stepsQuery, subtasksQuery } from "../../service/StepQueries.ts"
import { useLiveText } from "./LiveText.ts"
import { isFinished } from "./TaskState.ts"
import { makeTimeline, type Timeline } from "./Timeline.ts"
import { WaterfallRow } from "./WaterfallRow.tsx"

const rowHeight = 30

const useTimeline = (task: Task) => {
  const query = useInfiniteQuery(stepsQuery(task.id))
  const steps = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const hasSubtasks = steps.some(({ subtasks }) => subtasks.length > 0)
  const subtasks = useQuery({ ...subtasksQuery(task.id), enabled: hasSubtasks })
  const clock = useNow()
  const now = isFinished(task) || !hasSubtasks ? 0 : clock
  const timeline = useMemo(() => makeTimeline(task, steps, subtasks.data ?? [], now), [task, steps, subtasks.data, now])
  return { timeline, ...query }
}

/** Where idle time is drawn shorter than it was. */
const Breaks = ({ scale }: Pick<Timeline, "scale">) => (
  <>
    {scale.breaks.filter(({ width }) => width > 0.004).map(({ from, to, width, x }) => (
      <span
        key={from}
        title={`Nothing happened for ${durationText(to - from)}`}
        className="absolute inset-y-0 border-x border-dashed border-line bg-raised/60"
        style={{ left: `${x * 100}%`, width: `${width * 100}%` }}
      />
    ))}
  </>
)

/** The steps of a task, newest first, each with what it took on one scale. */
export const Waterfall = ({ onSelect, selected, task }: {
  readonly task: Task
  readonly selected: number | undefined
  readonly onSelect: (seq: number) => void
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const { error, fetchNextPage, hasNextPage, isFetchingNextPage, isLoading, refetch, timeline } = useTimeline(task)
  const live = useLiveText(task)
  const { lines, scale } = timeline
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => lines[index]?.id ?? index,
    overscan: 16
  })
  const shown = rows.getVirtualItems()
  const isAtEnd = (shown.at(-1)?.index ?? 0) >= lines.length - 40
  useEffect(() => {
    if (isAtEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [isAtEnd, hasNextPage, isFetchingNextPage, fetchNextPage])
  const first = lines.at(-1)?.bar.from
  const last = lines[0]?.bar.to
  return (
    <section className="flex h-full min-h-72 flex-col overflow-hidden rounded-lg border bg-surface" aria-label="Steps">
      <header className="flex h-9 shrink-0 items-center justify-between gap-3 border-b px-3">
        <h2 className="font-semibold">Steps</h2>
        <span className="text-xs text-muted">
          {first !== undefined && last !== undefined && `${durationText(last - first)}, newest first`}
          {scale.breaks.length > 0 && " · idle time shortened"}
        </span>
      </header>
      {error !== null && (
        <div className="p-3">
          <Problem
            error={error}
            title="The steps could not be loaded"
            onRetry={() => void refetch()}
          />
        </div>
      )}
      {live !== "" && (
        <div
          className="max-h-40 shrink-0 overflow-y-auto border-b border-l-2 border-l-accent px-3 py-2"
          tabIndex={0}
          role="log"
          aria-label="What the model writes"
        >
          <RichText text={live} />
        </div>
      )}
      <div
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label="Steps of the task"
        className="min-h-0 flex-1 overflow-y-auto max-lg:max-h-[60vh]"
      >
        {!isLoading && lines.length === 0 && error === null && (
          <p className="p-3 text-muted">No step yet: the task waits for a worker.</p>
        )}
        <div className="relative" style={{ height: rows.getTotalSize() }}>
          <div aria-hidden className="absolute inset-y-0 right-18 left-[55%] max-md:hidden">
            <Breaks scale={scale} />
          </div>
          <ol>
            {shown.map(({ index, key, start }) => {
              const line = lines[index]
              return line === undefined ?
                null :
                (
                  <li
                    key={key}
                    className="absolute inset-x-0 h-[30px] border-b"
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    <WaterfallRow
                      line={line}
                      scale={scale}
                      isSelected={line.id === String(selected)}
                      onSelect={onSelect}
                    />
                  </li>
                )
            })}
          </ol>
        </div>
      </div>
    </section>
  )
}
