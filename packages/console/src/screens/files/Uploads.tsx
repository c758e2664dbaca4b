import type { UploadedFile } from "@troupe/client"
import { UploadIcon, X } from "lucide-react"
import { type DragEvent, useRef, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { sizeText } from "../../parts/Size.ts"
import { useUpload } from "../../service/FileQueries.ts"

interface Sent {
  readonly id: string
  readonly name: string
  readonly share: number
  readonly error?: unknown
}

const Quota = ({ quota: { limit_bytes, used_bytes } }: Pick<UploadedFile, "quota">) => (
  <span className="text-xs text-muted">
    {sizeText(used_bytes)} used{limit_bytes === null ? ", no limit" : ` of ${sizeText(limit_bytes)}`}
  </span>
)

/** Where files are dropped or chosen, and how far each upload is. */
export const Uploads = () => {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const [sent, setSent] = useState<ReadonlyArray<Sent>>([])
  const upload = useUpload()
  const change = (id: string, made: Partial<Sent>) =>
    setSent((all) => all.map((one) => one.id === id ? { ...one, ...made } : one))
  const forget = (id: string) => setSent((all) => all.filter((one) => one.id !== id))
  const begin = (files: ReadonlyArray<File>) => {
    for (const file of files) {
      const id = crypto.randomUUID()
      setSent((all) => [...all, { id, name: file.name, share: 0 }])
      upload.mutateAsync({ file, onProgress: (share) => change(id, { share }) })
        .then(() => forget(id), (error: unknown) => change(id, { error }))
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    begin([...event.dataTransfer.files])
  }
  return (
    <section aria-label="Upload" className="flex flex-col gap-2">
      <div
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={`flex flex-wrap items-center gap-3 rounded-lg border border-dashed p-3 ${
          isOver ? "border-accent bg-accent-soft" : "border-line-strong"
        }`}
      >
        <Button kind="primary" onClick={() => input.current?.click()}>
          <UploadIcon aria-hidden /> Upload files
        </Button>
        <span className="flex-1 text-muted">or drop them here. A file of the same name is replaced.</span>
        {upload.data !== undefined && <Quota quota={upload.data.quota} />}
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={({ target }) => {
            begin([...(target.files ?? [])])
            target.value = ""
          }}
        />
      </div>
      {sent.map(({ error, id, name, share }) =>
        error === undefined
          ? (
            <label key={id} className="flex items-center gap-3 text-muted">
              <span className="min-w-0 flex-1 truncate">{name}</span>
              <progress value={share} className="w-40 accent-accent-fill" />
              <span className="w-10 text-right tabular-nums">{Math.round(share * 100)} %</span>
            </label>
          )
          : (
            <div key={id} className="flex items-start gap-2">
              <div className="min-w-0 flex-1">
                <Problem error={error} title={`${name} was not uploaded`} />
              </div>
              <Button
                kind="ghost"
                size="icon"
                aria-label={`Dismiss the error about ${name}`}
                onClick={() => forget(id)}
              >
                <X aria-hidden />
              </Button>
            </div>
          )
      )}
    </section>
  )
}
