import { DropArea } from "../../parts/DropArea.tsx"
import { Paperclip, X } from "../../parts/Icons.ts"
import { UploadList } from "../../parts/UploadList.tsx"
import type { useUploads } from "../../service/Uploads.ts"

/** Files for the task: each is uploaded as soon as it is chosen or dropped. */
export const Attachments = ({ names, onRemove, uploads: { all, begin, dismiss } }: {
  readonly names: ReadonlyArray<string>
  readonly uploads: ReturnType<typeof useUploads>
  readonly onRemove: (name: string) => void
}) => (
  <div className="flex flex-col gap-2">
    <DropArea
      kind="ghost"
      label="Files to attach"
      onFiles={begin}
      button={
        <>
          <Paperclip aria-hidden /> Attach files
        </>
      }
    >
      {names.map((name) => (
        <span
          key={name}
          className="inline-flex min-h-7 max-w-full items-center gap-1 rounded-md border bg-raised pl-2 text-xs"
        >
          <span className="break-all">{name}</span>
          <button
            type="button"
            aria-label={`Remove ${name}`}
            className="grid size-6 place-items-center"
            onClick={() => onRemove(name)}
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </span>
      ))}
      {names.length === 0 && <span className="text-xs text-muted">or drop them here</span>}
    </DropArea>
    <UploadList uploads={all} onDismiss={dismiss} />
  </div>
)
