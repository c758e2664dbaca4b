import { useQuery } from "@tanstack/react-query"
import type { Task, UserFile } from "@troupe/client"
import { useState } from "react"
import { Download, FileText } from "../../../parts/Icons.ts"
import { sizeText } from "../../../parts/Size.ts"
import { serviceUrl } from "../../../service/Address.ts"
import { fileQuery } from "../../../service/FileQueries.ts"
import { FileContent, FilePreview } from "../../files/FilePreview.tsx"
import { previewKind } from "../../files/PreviewKind.ts"

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

/** Bytes of a file that is previewed without a click. */
const maxPreview = 300_000

/** The beginning of a file; a click shows all of it. */
const Preview = ({ file, user }: { readonly file: UserFile; readonly user: string }) => {
  const { data } = useQuery(fileQuery(file.path, file.modified_at, user))
  if (data === undefined) return null
  const look = previewKind(file) === "image"
    ? ""
    : "max-h-64 overflow-hidden [mask-image:linear-gradient(#000_12rem,transparent_16rem)]"
  return (
    <div className={`border-t px-4 py-3 ${look}`}>
      <FileContent content={data} file={file} isExcerpt />
    </div>
  )
}

/** The files that a task made, each with its beginning. */
export const ResultFiles = ({ task }: { readonly task: Task }) => {
  const files = task.outputs.flatMap((output) => fileOf(output) ?? [])
  const [shown, setShown] = useState<UserFile | null>(null)
  return (
    <>
      {files.map((file) => (
        <section key={file.path} aria-label={file.path} className="rounded-lg border bg-surface">
          <header className="flex min-h-10 items-center gap-2 pr-2 pl-4">
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
          </header>
          {previewKind(file) !== "none" && file.size <= maxPreview && <Preview file={file} user={task.creator} />}
        </section>
      ))}
      {shown !== null && <FilePreview file={shown} user={task.creator} onClose={() => setShown(null)} />}
    </>
  )
}
