import { useQuery } from "@tanstack/react-query"
import { DropArea } from "../../parts/DropArea.tsx"
import { UploadIcon } from "../../parts/Icons.ts"
import { sizeText } from "../../parts/Size.ts"
import { UploadList } from "../../parts/UploadList.tsx"
import { storageQuery } from "../../service/FileQueries.ts"
import { useUploads } from "../../service/Uploads.ts"

/** Where files are uploaded, and how much of the quota they use. */
export const Uploads = () => {
  const { all, begin, dismiss } = useUploads()
  const { data: quota } = useQuery(storageQuery)
  return (
    <section aria-label="Upload" className="flex flex-col gap-2">
      <DropArea
        kind="primary"
        label="Files to upload"
        onFiles={begin}
        button={
          <>
            <UploadIcon aria-hidden /> Upload files
          </>
        }
      >
        <span className="flex-1 text-muted">or drop them here. A file of the same name is replaced.</span>
        {quota !== undefined && (
          <span
            className="flex items-center gap-2 text-xs text-muted"
            title="The space that your files take: each file takes whole blocks of 4 KiB. Measured once a minute"
          >
            {quota.limit_bytes !== null && (
              <meter
                aria-label="Quota used"
                min={0}
                max={quota.limit_bytes}
                value={quota.used_bytes}
                className="h-2 w-24"
              />
            )}
            {sizeText(quota.used_bytes)}
            {quota.limit_bytes === null ? " on disk, no limit" : ` of ${sizeText(quota.limit_bytes)} on disk`}
          </span>
        )}
      </DropArea>
      <UploadList uploads={all} onDismiss={dismiss} />
    </section>
  )
}
