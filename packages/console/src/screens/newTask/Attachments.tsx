import { useMutation } from "@tanstack/react-query"
import { Paperclip, X } from "lucide-react"
import { type DragEvent, useRef, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { service } from "../../service/Service.ts"

/** Files for the task: each is uploaded as soon as it is chosen or dropped. */
export const Attachments = ({ names, onChange }: {
  readonly names: ReadonlyArray<string>
  readonly onChange: (names: ReadonlyArray<string>) => void
}) => {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const upload = useMutation({
    mutationFn: (files: ReadonlyArray<File>) => Promise.all(files.map((file) => service.files.upload(file.name, file))),
    onSuccess: (uploaded) => onChange([...new Set([...names, ...uploaded.map(({ path }) => path)])])
  })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    upload.mutate([...event.dataTransfer.files])
  }
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
      className={`flex flex-wrap items-center gap-2 rounded-md border border-dashed p-2 ${
        isOver ? "border-accent bg-accent-soft" : ""
      }`}
    >
      <Button size="small" kind="ghost" onClick={() => input.current?.click()} disabled={upload.isPending}>
        <Paperclip aria-hidden /> {upload.isPending ? "Uploading …" : "Attach files"}
      </Button>
      {names.map((name) => (
        <span key={name} className="inline-flex h-7 items-center gap-1 rounded-md border bg-raised pl-2 text-xs">
          {name}
          <button
            type="button"
            aria-label={`Remove ${name}`}
            className="grid size-6 place-items-center"
            onClick={() =>
              onChange(names.filter((other) =>
                other !== name
              ))}
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </span>
      ))}
      {names.length === 0 && !upload.isPending && <span className="text-xs text-muted">or drop them here</span>}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          upload.mutate([...(target.files ?? [])])
          target.value = ""
        }}
      />
      {upload.error !== null && (
        <div className="w-full">
          <Problem error={upload.error} title="The upload failed" />
        </div>
      )}
    </div>
  )
}
