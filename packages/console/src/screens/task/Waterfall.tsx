import { useVirtualizer } from "@tanstack/react-virtual"
import type { Task } from "@troupe/client"
import { useCallback, useEffect, useRef, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { useListKeys } from "../../parts/ListKeys.ts"
import { Problem } from "../../parts/Problem.tsx"
import { barsOnly } from "./Bars.tsx"
import { useSteps } from "./Steps.ts"
import { StepTools } from "./StepTools.tsx"
import type { StepAddress } from "./Timeline.ts"
import { useStepTools } from "./useStepTools.ts"
import { Axis, Breaks, ZoomButtons } from "./WaterfallHead.tsx"
import { WaterfallRow } from "./WaterfallRow.tsx"
import { useZoom } from "./Zoom.ts"

const rowHeight = 30

/** Fewer lines than a large window shows. */
const fewLines = 60

/** The steps of a task, each with what it took on one scale. */
export const Waterfall = ({ onSelect, selected, task }: {
  readonly task: Task
  readonly selected: StepAddress | undefined
  readonly onSelect: (step: StepAddress) => void
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const { failed, isOpen, isSeeking, query, timeline, toggle } = useSteps(task, selected)
  // Where there is no room for both, the bars or the whole titles are shown.
  const [hasBars, setHasBars] = useState(false)
  const { error, fetchNextPage, hasNextPage, isFetchingNextPage, isLoading, refetch } = query
  const { setElement, setView, view } = useZoom()
  const { scale } = timeline
  const { isMoreSought, isOldestFirst, lines, seek, toggleLoop, tools } = useStepTools(task, timeline.lines, selected)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => lines[index]?.id ?? index,
    overscan: 16
  })
  const focused = useListKeys({
    entries: lines,
    onMove: (index) => rows.scrollToIndex(index),
    elementOf: (index) => {
      const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
      return row?.querySelector("button") ?? row
    },
    onOpen: (line) => {
      if (line._tag === "step") onSelect({ taskId: line.taskId, seq: line.step.seq })
      if (line._tag === "subtask") toggle(line.id)
      if (line._tag === "loop") toggleLoop(line)
    }
  })
  const selectedAt = selected === undefined ?
    -1 :
    lines.findIndex((line) => line._tag === "step" && line.step.seq === selected.seq && line.taskId === selected.taskId)
  const place = useRef(selectedAt)
  place.current = selectedAt
  const isLoaded = selectedAt >= 0
  // A step that the address names is brought into view once; lines that come later do not move it.
  useEffect(() => {
    if (isLoaded) rows.scrollToIndex(place.current)
  }, [rows, isLoaded, selected?.taskId, selected?.seq])
  const latest = useRef(onSelect)
  useEffect(() => {
    latest.current = onSelect
  })
  // Rows are drawn again only when something of them changes.
  const select = useCallback((step: StepAddress) => latest.current(step), [])
  const shown = rows.getVirtualItems()
  const isAtEnd = (shown.at(-1)?.index ?? 0) >= lines.length - 100
  // A few lines may stand for thousands of steps: then more are loaded on demand only, unless something is sought among them.
  const isByHand = !isMoreSought && lines.length < fewLines && (query.data?.pages.length ?? 0) > 2
  useEffect(() => {
    if (isAtEnd && hasNextPage && !isFetchingNextPage && !isByHand && !isOldestFirst) void fetchNextPage()
  }, [isAtEnd, hasNextPage, isFetchingNextPage, isByHand, isOldestFirst, fetchNextPage])
  return (
    <section
      aria-label="Steps"
      data-titles={hasBars ? undefined : ""}
      className="group/steps flex h-full min-h-72 flex-col overflow-hidden rounded-lg border bg-surface [--bars-left:55%] [--bars-right:5rem] max-md:[--bars-left:38%] max-md:[--bars-right:4.5rem]"
    >
      <StepTools {...tools}>
        <ZoomButtons view={view} onChange={setView} />
        <Button
          size="small"
          className="aria-pressed:bg-raised md:hidden"
          aria-pressed={hasBars}
          onClick={() => setHasBars(!hasBars)}
        >
          Timeline
        </Button>
      </StepTools>
      {lines.length > 0 && <Axis scale={scale} view={view} />}
      {error !== null && (
        <div className="p-3">
          <Problem
            error={error}
            title="The steps could not be loaded"
            onRetry={() => void refetch()}
          />
        </div>
      )}
      {failed !== undefined && (
        <div className="p-3">
          <Problem
            error={failed.error}
            title="The subtasks could not be loaded"
            onRetry={() => void failed.refetch()}
          />
        </div>
      )}
      {isSeeking && <p role="status" className="border-b px-3 py-1 text-muted">Loading the steps down to this one …</p>}
      <div
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label="Steps of the task"
        className="min-h-0 flex-1 touch-pan-y overflow-x-hidden overflow-y-auto outline-offset-[-2px] max-lg:max-h-[60vh]"
      >
        {!isLoading && timeline.lines.length === 0 && error === null && (
          <p className="p-3 text-muted">No step yet: the task waits for a worker.</p>
        )}
        <div className="relative" style={{ height: rows.getTotalSize() }}>
          <div
            ref={setElement}
            aria-hidden
            className={`absolute inset-y-0 right-(--bars-right) left-(--bars-left) overflow-hidden ${barsOnly}`}
          >
            <Breaks scale={scale} view={view} />
          </div>
          <ol>
            {shown.map(({ index, key, start }) => {
              const line = lines[index]
              return line === undefined ? null : (
                <li
                  key={key}
                  data-index={index}
                  tabIndex={-1}
                  className="absolute inset-x-0 h-[30px] border-b"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <WaterfallRow
                    line={line}
                    scale={scale}
                    view={view}
                    isSelected={index === selectedAt}
                    isFocused={index === focused}
                    isUnfolded={isOpen(line.id)}
                    onSelect={select}
                    onToggle={toggle}
                    onLoop={toggleLoop}
                  />
                </li>
              )
            })}
          </ol>
        </div>
        {isFetchingNextPage && <p role="status" className="px-3 py-2 text-muted">Loading older steps …</p>}
        {isByHand && hasNextPage && !isFetchingNextPage && (
          <p className="px-3 py-2">
            <Button size="small" onClick={seek}>Load older steps</Button>
          </p>
        )}
        {!isLoading && lines.length === 0 && isMoreSought && !hasNextPage && (
          <p className="p-3 text-muted">No step matches.</p>
        )}
      </div>
    </section>
  )
}
