import { DropArea } from "../../parts/DropArea.tsx"
import { FilesToSend } from "../../parts/FilesToSend.tsx"
import { Paperclip } from "../../parts/Icons.ts"
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
      <FilesToSend names={names} onRemove={onRemove} />
      {names.length === 0 && <span className="text-xs text-muted">or drop them here</span>}
    </DropArea>
    <UploadList uploads={all} onDismiss={dismiss} />
  </div>
)
