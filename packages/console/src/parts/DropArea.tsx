import { type ReactNode, useRef, useState } from "react"
import { Button } from "./Button.tsx"

/** Where files are dropped or chosen. */
export const DropArea = ({ button, children, kind, label, onFiles }: {
  readonly button: ReactNode
  readonly kind: "primary" | "ghost"
  /** The name of the control that chooses them. */
  readonly label: string
  readonly onFiles: (files: ReadonlyArray<File>) => void
  readonly children?: ReactNode
}) => {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        onFiles([...event.dataTransfer.files])
      }}
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-dashed p-2 ${
        isOver ? "border-accent bg-accent-soft" : "border-line-strong"
      }`}
    >
      <Button kind={kind} onClick={() => input.current?.click()}>{button}</Button>
      {children}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ""
        }}
      />
    </div>
  )
}
