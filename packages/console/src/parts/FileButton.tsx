import { type ComponentProps, useRef } from "react"
import { Button } from "./Button.tsx"

/** A button that chooses files. */
export const FileButton = ({ inputLabel, onFiles, ...rest }: Omit<ComponentProps<typeof Button>, "onClick"> & {
  /** The name of the control that chooses them. */
  readonly inputLabel: string
  readonly onFiles: (files: ReadonlyArray<File>) => void
}) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button {...rest} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={inputLabel}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ""
        }}
      />
    </>
  )
}
