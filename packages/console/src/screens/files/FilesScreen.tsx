import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useEffect } from "react"
import { Body } from "../../parts/Body.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Folder } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { MorePages } from "../../parts/MorePages.tsx"
import { plural } from "../../parts/Plural.ts"
import { Screen } from "../../parts/Screen.tsx"
import { sizeText } from "../../parts/Size.ts"
import { filesQuery } from "../../service/FileQueries.ts"
import { leaving } from "../../service/Leaving.ts"
import { FilePreview } from "./FilePreview.tsx"
import { FileRow } from "./FileRow.tsx"
import { Uploads } from "./Uploads.tsx"

const route = getRouteApi("/files")

const FilesScreen = () => {
  const { file: shown } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(filesQuery)
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const gone = leaving.use()
  const files = (data?.pages.flatMap(({ items }) => items) ?? []).filter(({ path }) => !gone.has(`file.${path}`))
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const show = (file?: string) => void navigate({ search: file === undefined ? {} : { file }, replace: true })
  const open = files.find(({ path }) => path === shown)
  const isWanted = shown !== undefined && open === undefined
  // The file that the address names may be on a later page.
  useEffect(() => {
    if (isWanted && hasNextPage && !isFetchingNextPage && error === null) void fetchNextPage()
  }, [isWanted, hasNextPage, isFetchingNextPage, error, fetchNextPage])
  return (
    <Screen
      title="Files"
      actions={files.length > 0 && (
        <span className="text-muted">
          {plural(files.length, "file")}
          {hasNextPage ? " shown" : ""}, {sizeText(bytes)} in this list
        </span>
      )}
    >
      <Body>
        <div className={files.length === 0 ? "order-last" : ""}>
          <Uploads />
        </div>
        <Loaded name="files" query={query}>
          {() =>
            files.length === 0
              ? (
                <Empty icon={Folder} title="No files yet">
                  <p>
                    What you upload and what the tools of your tasks write appears here. Attach a file to a new task by
                    its name.
                  </p>
                </Empty>
              )
              : (
                <ul className="divide-y rounded-lg border bg-surface">
                  {files.map((file) => <FileRow key={file.path} file={file} onShow={() => show(file.path)} />)}
                </ul>
              )}
        </Loaded>
        <MorePages query={query}>Show more files</MorePages>
      </Body>
      {open !== undefined && <FilePreview file={open} onClose={() => show()} />}
      {isWanted && data !== undefined && !hasNextPage && (
        <Modal isOpen onClose={() => show()} title="No such file">
          <p className="break-words">There is no file {shown}. It was deleted, or belongs to somebody else.</p>
        </Modal>
      )}
    </Screen>
  )
}

export default FilesScreen
