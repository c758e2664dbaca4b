import { queryOptions, useMutation } from "@tanstack/react-query"
import { useChange } from "./Change.ts"
import { sendUnsent } from "./Leaving.ts"
import { pagedQuery } from "./Paged.ts"
import { service } from "./Service.ts"
import { uploadFile } from "./Upload.ts"

export const filesQuery = pagedQuery(["files", "list"], (page) => service.files.list({ ...page, limit: 200 }))

/** How much of the quota is used. */
export const storageQuery = queryOptions({
  queryKey: ["files", "storage"],
  queryFn: () => service.files.usage(),
  staleTime: 0
})

/** The content of a file, as it was at a time. */
export const fileQuery = (path: string, modifiedAt: string, user?: string) =>
  queryOptions({
    queryKey: ["file", path, modifiedAt, user],
    queryFn: () => service.files.download(path, user === undefined ? {} : { user }),
    staleTime: Infinity,
    gcTime: 60_000
  })

export const useDownload = () => useMutation({ mutationFn: (path: string) => service.files.download(path) })

export const useDeleteFile = () => useChange(["files"], (path: string) => service.files.remove(path))

interface Upload {
  readonly file: File
  readonly onProgress: (share: number) => void
}

export const useUpload = () =>
  useChange(["files"], async ({ file, onProgress }: Upload) => {
    // A file of the same name may be about to be deleted, which would delete this one.
    await sendUnsent()
    return uploadFile(file, onProgress)
  })
