import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { DialogActions } from "./DialogActions.tsx"
import { Modal } from "./Modal.tsx"
import { Problem } from "./Problem.tsx"

/** Asks before something that can't be taken back. */
export const Confirm = ({ action, children, error, isPending, leave = "Cancel", onClose, onConfirm, title }: {
  readonly title: string
  readonly children: ReactNode
  /** The text of the button that does it. */
  readonly action: string
  /** The text of the button that changes nothing. Where the question is about cancelling, "Cancel" would be ambiguous. */
  readonly leave?: string
  readonly isPending: boolean
  readonly error: unknown
  readonly onClose: () => void
  readonly onConfirm: () => void
}) => (
  <Modal isOpen onClose={onClose} title={title} width="max-w-md">
    <div className="flex flex-col gap-3">
      <div>{children}</div>
      {error !== null && <Problem error={error} />}
      <DialogActions cancel={leave} onCancel={onClose}>
        <Button kind="danger" disabled={isPending} onClick={onConfirm}>{action}</Button>
      </DialogActions>
    </div>
  </Modal>
)
