import { Link } from "@tanstack/react-router"
import type { Memory } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { DeleteLater } from "../../parts/DeleteLater.tsx"
import { Time } from "../../parts/Time.tsx"
import { useForget } from "../../service/MemoryQueries.ts"

/** Of a text that is longer than some lines, the beginning is shown. */
const isLong = (text: string): boolean => text.length > 700 || text.split("\n").length > 8

/** One memory: its words, where it comes from, and the way to delete it. */
export const MemoryCard = ({ memory: { content, id, tags, task_id, updated_at }, onTag }: {
  readonly memory: Memory
  readonly onTag: (tag: string) => void
}) => {
  const forget = useForget()
  const [isWhole, setIsWhole] = useState(!isLong(content))
  return (
    <li data-entry tabIndex={-1} className="flex items-start gap-3 rounded-lg border bg-surface px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className={`text-base break-words whitespace-pre-wrap ${isWhole ? "" : "line-clamp-6"}`}>{content}</p>
        {!isWhole && (
          <Button size="small" kind="ghost" className="-ml-2" onClick={() => setIsWhole(true)}>Show all of it</Button>
        )}
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <Time at={updated_at} />
          {task_id === null
            ? <span>Saved by an agent</span>
            : (
              <Link
                to="/tasks/$taskId"
                params={{ taskId: task_id }}
                className="inline-flex min-h-6 items-center underline hover:text-text"
              >
                From the end of a task
              </Link>
            )}
          {tags.map((tag) => (
            <button
              key={tag}
              type="button"
              title={`Show only memories with ${tag}`}
              className="min-h-6 rounded-full border bg-raised px-2 hover:text-text"
              onClick={() => onTag(tag)}
            >
              {tag}
            </button>
          ))}
        </div>
      </div>
      <DeleteLater
        id={`memory.${id}`}
        label="Delete this memory"
        name="the memory"
        send={() => forget.mutateAsync(id)}
      />
    </li>
  )
}
