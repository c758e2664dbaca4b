import { Link } from "@tanstack/react-router"
import type { Memory } from "@troupe/client"
import { DeleteLater } from "../../parts/DeleteLater.tsx"
import { Time } from "../../parts/Time.tsx"
import { useForget } from "../../service/MemoryQueries.ts"

/** One memory: its words, where it comes from, and the way to delete it. */
export const MemoryCard = ({ memory: { content, id, tags, task_id, updated_at }, onTag }: {
  readonly memory: Memory
  readonly onTag: (tag: string) => void
}) => {
  const forget = useForget()
  return (
    <li data-entry tabIndex={-1} className="flex items-start gap-3 rounded-lg border bg-surface px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="text-base break-words whitespace-pre-wrap">{content}</p>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <Time at={updated_at} />
          {task_id === null
            ? <span>Saved by an agent</span>
            : (
              <Link to="/tasks/$taskId" params={{ taskId: task_id }} className="underline hover:text-text">
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
