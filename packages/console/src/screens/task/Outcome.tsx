import type { Task, UserFile } from "@troupe/client"
import { useState } from "react"
import { Download, FileText } from "../../parts/Icons.ts"
import { Panel } from "../../parts/Panel.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { sizeText } from "../../parts/Size.ts"
import { isCut } from "../../parts/StatusBadge.tsx"
import { serviceUrl } from "../../service/Address.ts"
import { FilePreview } from "../files/FilePreview.tsx"

const fileUrl = (task: Task, path: string) =>
  `${serviceUrl}/files/${encodeURIComponent(task.creator)}/${encodeURIComponent(path)}`

const imageTypes: Readonly<Record<string, string>> = {
  avif: "image/avif",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  svg: "image/svg+xml",
  webp: "image/webp"
}

/** The file of an output; its kind follows from its name. */
const fileOf = ({ created_at, filename, size }: Task["outputs"][number]): UserFile | null => {
  if (filename === null) return null
  const ending = filename.split(".").at(-1)?.toLowerCase() ?? ""
  return {
    path: filename,
    filename: filename.split("/").at(-1) ?? filename,
    size: size ?? 0,
    content_type: imageTypes[ending] ?? "application/octet-stream",
    modified_at: created_at
  }
}

const Files = ({ files, task }: { readonly task: Task; readonly files: ReadonlyArray<UserFile> }) => {
  const [shown, setShown] = useState<UserFile | null>(null)
  return (
    <Panel title="Files">
      <ul className="flex flex-col">
        {files.map((file) => (
          <li key={file.path} className="flex items-center gap-2">
            <FileText aria-hidden className="size-4 shrink-0 text-muted" />
            <button
              type="button"
              className="min-w-0 flex-1 truncate py-1 text-left font-medium hover:underline"
              onClick={() => setShown(file)}
            >
              {file.path}
            </button>
            <span className="text-xs text-muted">{file.size === 0 ? "" : sizeText(file.size)}</span>
            <a
              href={fileUrl(task, file.path)}
              download
              aria-label={`Download ${file.path}`}
              title="Download"
              className="grid size-7 place-items-center rounded-md hover:bg-raised"
            >
              <Download aria-hidden className="size-4" />
            </a>
          </li>
        ))}
      </ul>
      {shown !== null && <FilePreview file={shown} user={task.creator} onClose={() => setShown(null)} />}
    </Panel>
  )
}

/** What the task made: its result, its files, or why it failed. */
export const Outcome = ({ task }: { readonly task: Task }) => {
  const texts = task.outputs.filter(({ content }) => content !== null)
  const files = task.outputs.flatMap((output) => fileOf(output) ?? [])
  return (
    <>
      {task.error !== null && (
        <Panel title="Error">
          <p className="text-bad whitespace-pre-wrap break-words">{task.error}</p>
        </Panel>
      )}
      {texts.length > 0 && (
        <Panel title={isCut(task.ended_by) ? "Result so far" : "Result"}>
          {isCut(task.ended_by) && (
            <p className="mb-2 text-wait">
              {task.ended_by === "limit"
                ? "The task was stopped at its limit, before the agent was done."
                : "The task was stopped at its token budget, before the agent was done."} The last step says where.
            </p>
          )}
          {texts.map(({ content, id }) => <RichText key={id} text={content ?? ""} />)}
        </Panel>
      )}
      {files.length > 0 && <Files task={task} files={files} />}
      {task.plan !== null && (
        <Panel title="Plan">
          <RichText text={task.plan} />
        </Panel>
      )}
    </>
  )
}
