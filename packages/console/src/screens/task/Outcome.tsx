import type { Task } from "@troupe/client"
import { Download, FileText } from "lucide-react"
import { Panel } from "../../parts/Panel.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { sizeText } from "../../parts/Size.ts"
import { serviceUrl } from "../../service/Address.ts"

const fileUrl = (task: Task, filename: string) =>
  `${serviceUrl}/files/${encodeURIComponent(task.creator)}/${encodeURIComponent(filename)}`

/** What the task made: its result, its files, or why it failed. */
export const Outcome = ({ task }: { readonly task: Task }) => {
  const texts = task.outputs.filter(({ content }) => content !== null)
  const files = task.outputs.flatMap(({ filename, id, size }) => filename === null ? [] : [{ filename, id, size }])
  return (
    <>
      {task.error !== null && (
        <Panel title="Error">
          <p className="text-bad whitespace-pre-wrap break-words">{task.error}</p>
        </Panel>
      )}
      {texts.length > 0 && (
        <Panel title="Result">
          {texts.map(({ content, id }) => <RichText key={id} text={content ?? ""} />)}
        </Panel>
      )}
      {files.length > 0 && (
        <Panel title="Files">
          <ul className="flex flex-col">
            {files.map(({ filename, id, size }) => (
              <li key={id} className="flex items-center gap-2">
                <FileText aria-hidden className="size-4 shrink-0 text-muted" />
                <span className="min-w-0 flex-1 truncate">{filename}</span>
                <span className="text-xs text-muted">{size === null ? "" : sizeText(size)}</span>
                <a
                  href={fileUrl(task, filename)}
                  download
                  aria-label={`Download ${filename}`}
                  className="grid size-7 place-items-center rounded-md hover:bg-raised"
                >
                  <Download aria-hidden className="size-4" />
                </a>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {task.plan !== null && (
        <Panel title="Plan">
          <RichText text={task.plan} />
        </Panel>
      )}
    </>
  )
}
