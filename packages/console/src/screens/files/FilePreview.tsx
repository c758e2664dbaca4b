import { useQuery } from "@tanstack/react-query"
import type { UserFile } from "@troupe/client"
import { useEffect, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Code } from "../../parts/Code.tsx"
import { Download } from "../../parts/Icons.ts"
import { Loading } from "../../parts/Loading.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { sizeText } from "../../parts/Size.ts"
import { Time } from "../../parts/Time.tsx"
import { fileQuery } from "../../service/FileQueries.ts"
import { saveFile } from "../../service/SaveFile.ts"
import { previewKind } from "./PreviewKind.ts"

const Picture = ({ content, name }: { readonly content: Blob; readonly name: string }) => {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(content)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [content])
  return url === undefined ? null : <img src={url} alt={name} className="mx-auto max-h-[60vh] max-w-full bg-raised" />
}

/** Characters of a text of which only the beginning is shown. */
const excerptLength = 2_000

const Text = ({ content, isExcerpt, isMarkdown, name }: {
  readonly content: Blob
  readonly isExcerpt: boolean
  readonly isMarkdown: boolean
  readonly name: string
}) => {
  const [text, setText] = useState<string>()
  useEffect(
    () => void content.text().then((text) => setText(isExcerpt ? text.slice(0, excerptLength) : text)),
    [content, isExcerpt]
  )
  return text === undefined ?
    <Loading /> :
    isMarkdown ?
    <RichText text={text} /> :
    (
      <pre
        tabIndex={0}
        className="max-h-[60vh] overflow-auto rounded-md border bg-raised p-2 font-mono text-xs break-words whitespace-pre-wrap"
      >
        <Code name={name.slice(name.lastIndexOf(".") + 1)} text={text} />
      </pre>
    )
}

/** A content as far as a browser can show it without running anything of it. */
export const FileContent = ({ content, file, isExcerpt = false }: {
  readonly content: Blob
  readonly file: UserFile
  /** Only the beginning of a text. */
  readonly isExcerpt?: boolean
}) => {
  const kind = previewKind(file)
  if (kind === "none") return null
  return kind === "image"
    ? <Picture content={content} name={file.filename} />
    : <Text content={content} isExcerpt={isExcerpt} isMarkdown={kind === "markdown"} name={file.filename} />
}

/** A file over the screen, with the way to download it. */
export const FilePreview = ({ file, onClose, user }: {
  readonly file: UserFile
  /** Whose file it is; default: of the one who works here. */
  readonly user?: string
  readonly onClose: () => void
}) => {
  const { content_type, filename, modified_at, path, size } = file
  const kind = previewKind(file)
  const { data: content, error, isFetching, refetch } = useQuery({
    ...fileQuery(path, modified_at, user),
    enabled: kind !== "none"
  })
  const save = async () => {
    const loaded = content ?? (await refetch()).data
    if (loaded !== undefined) saveFile(filename, loaded)
  }
  return (
    <Modal isOpen onClose={onClose} title={filename} width="max-w-3xl">
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="min-w-0 break-words text-muted">
            {path} · {sizeText(size)} · {content_type} · <Time at={modified_at} />
          </p>
          <Button disabled={isFetching} onClick={() => void save()}>
            <Download aria-hidden /> Download
          </Button>
        </div>
        {kind === "none" && <p>There is no preview of this kind or size.</p>}
        {error !== null && <Problem error={error} title="The file could not be read" onRetry={() => void refetch()} />}
        {content === undefined && error === null && kind !== "none" && <Loading />}
        {content !== undefined && <FileContent content={content} file={file} />}
      </div>
    </Modal>
  )
}
