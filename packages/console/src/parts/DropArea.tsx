import { type ReactNode, useState } from "react"
import { FileButton } from "./FileButton.tsx"

/** Where files are dropped or chosen. */
export const DropArea = ({ button, children, kind, label, onFiles }: {
  readonly button: ReactNode
  readonly kind: "primary" | "ghost"
  /** The name of the control that chooses them. */
  readonly label: string
  readonly onFiles: (files: ReadonlyArray<File>) => void
  readonly children?: ReactNode
}) => {
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
      <FileButton kind={kind} inputLabel={label} onFiles={onFiles}>{button}</FileButton>
      {children}
    </div>
  )
}
