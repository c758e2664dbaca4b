import type { ReactNode } from "react"
import { Button } from "./Button.tsx"

/** The buttons at the end of a dialog, in view also where the dialog is higher than the window. */
export const DialogActions = ({ cancel = "Cancel", children, onCancel }: {
  /** The text of the button that changes nothing. */
  readonly cancel?: string
  readonly onCancel?: () => void
  readonly children?: ReactNode
}) => (
  <div className="sticky -bottom-4 z-10 -mx-4 -mb-4 flex flex-wrap items-center justify-end gap-2 border-t bg-surface px-4 py-3">
    {onCancel !== undefined && <Button onClick={onCancel}>{cancel}</Button>}
    {children}
  </div>
)
