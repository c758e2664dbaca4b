import type { UserFile } from "@troupe/client"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { DeleteLater } from "../../parts/DeleteLater.tsx"
import { Download, File, FileText, Image } from "../../parts/Icons.ts"
import { problemText } from "../../parts/Problem.tsx"
import { sizeText } from "../../parts/Size.ts"
import { Time } from "../../parts/Time.tsx"
import { useDeleteFile, useDownload } from "../../service/FileQueries.ts"
import { saveFile } from "../../service/SaveFile.ts"
import { previewKind } from "./PreviewKind.ts"

const icons = { image: Image, markdown: FileText, text: FileText, none: File } as const

/** One file; its name opens the preview. */
export const FileRow = ({ file, onShow }: { readonly file: UserFile; readonly onShow: () => void }) => {
  const { filename, modified_at, path, size } = file
  const download = useDownload()
  const remove = useDeleteFile()
  const Icon = icons[previewKind(file)]
  const save = () =>
    download.mutate(path, {
      onSuccess: (content) => saveFile(filename, content),
      onError: (error) => toast.error(`${path} was not downloaded`, { description: problemText(error) })
    })
  return (
    <li data-entry className="flex min-h-10 items-center gap-2 px-3 py-1 hover:bg-raised">
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <button
        type="button"
        className="row-target min-w-0 flex-1 truncate py-1 text-left font-medium hover:underline"
        title={path}
        onClick={onShow}
      >
        {path}
      </button>
      <span className="w-16 shrink-0 text-right text-muted tabular-nums">{sizeText(size)}</span>
      <span className="w-24 shrink-0 text-right text-muted max-sm:hidden">
        <Time at={modified_at} />
      </span>
      <Button
        kind="ghost"
        size="icon"
        aria-label={`Download ${path}`}
        title="Download"
        disabled={download.isPending}
        onClick={save}
      >
        <Download aria-hidden />
      </Button>
      <DeleteLater id={`file.${path}`} label={`Delete ${path}`} name={path} send={() => remove.mutateAsync(path)} />
    </li>
  )
}
