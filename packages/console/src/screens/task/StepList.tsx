import { useVirtualizer } from "@tanstack/react-virtual"
import type { Task } from "@troupe/client"
import { useEffect, useRef, useState } from "react"
import { RichText } from "../../parts/RichText.tsx"
import { useLiveText } from "./LiveText.ts"
import { StepRow } from "./StepRow.tsx"

/** The steps of the task; while it runs, the list follows the newest one unless the reader has scrolled up. */
export const StepList = ({ task }: { readonly task: Task }) => {
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const isAtEnd = useRef(true)
  const live = useLiveText(task)
  const { logs } = task
  const rows = useVirtualizer({
    count: logs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 30,
    getItemKey: (index) => logs[index]?.id ?? index,
    overscan: 12
  })
  useEffect(() => {
    const element = scroller.current
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [logs.length, live])
  return (
    <section className="flex min-h-64 flex-1 flex-col rounded-lg border bg-surface" aria-label="Steps">
      <header className="flex h-9 items-center justify-between border-b px-3">
        <h2 className="font-semibold">Steps</h2>
        <span className="text-xs text-muted">{logs.length}</span>
      </header>
      <div
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label="Steps of the task"
        className="min-h-0 flex-1 overflow-y-auto max-lg:max-h-[60vh]"
        onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
        }}
      >
        <ol className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const entry = logs[index]
            return entry === undefined ? null : (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                className="absolute inset-x-0 border-b"
                style={{ transform: `translateY(${start}px)` }}
              >
                <StepRow
                  entry={entry}
                  isOpen={open.has(entry.id)}
                  onToggle={() => {
                    const next = new Set(open)
                    if (!next.delete(entry.id)) next.add(entry.id)
                    setOpen(next)
                  }}
                />
              </li>
            )
          })}
        </ol>
        {live !== "" && (
          <div className="border-l-2 border-accent px-3 py-2" aria-live="off">
            <RichText text={live} />
          </div>
        )}
      </div>
    </section>
  )
}
