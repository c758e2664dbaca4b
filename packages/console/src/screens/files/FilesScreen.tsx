import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { Folder } from "lucide-react"
import { useEffect } from "react"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { sizeText } from "../../parts/Size.ts"
import { filesQuery } from "../../service/FileQueries.ts"
import { FilePreview } from "./FilePreview.tsx"
import { FileRow } from "./FileRow.tsx"
import { Uploads } from "./Uploads.tsx"

const route = getRouteApi("/files")

const FilesScreen = () => {
  const { file: shown } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery(filesQuery)
  const files = data?.pages.flatMap(({ items }) => items) ?? []
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
        <Uploads />
        {error !== null && (
          <Problem
            error={error}
            title="The files could not be loaded"
            onRetry={() => void refetch()}
          />
        )}
        {data === undefined && error === null && <Loading />}
        {data !== undefined && files.length === 0 && (
          <Empty icon={Folder} title="No files yet">
            <p>
              What you upload and what the tools of your tasks write appears here. Attach a file to a new task by its
              name.
            </p>
          </Empty>
        )}
        {files.length > 0 && (
          <ul className="divide-y rounded-lg border bg-surface">
            {files.map((file) => <FileRow key={file.path} file={file} onShow={() => show(file.path)} />)}
          </ul>
        )}
        {hasNextPage && (
          <Button
            className="self-center"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {isFetchingNextPage ? "Loading …" : "Show more files"}
          </Button>
        )}
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
