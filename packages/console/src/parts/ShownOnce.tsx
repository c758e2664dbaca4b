import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { CopyText } from "./CopyText.tsx"
import { DialogActions } from "./DialogActions.tsx"
import { Modal } from "./Modal.tsx"

/** A secret that the service made, the only time that it is shown. */
export const ShownOnce = ({ children, name, onClose, secret }: {
  /** What it is, as a noun: `token`. */
  readonly name: string
  readonly secret: string
  /** What it is for. */
  readonly children: ReactNode
  readonly onClose: () => void
}) => (
  <Modal isOpen keepsInput onClose={onClose} title={`Store the ${name} now`}>
    <div className="flex flex-col gap-3">
      <p>
        {children} <strong>It is not shown again.</strong>
      </p>
      <CopyText label={name} text={secret} />
      <DialogActions>
        <Button kind="primary" onClick={onClose}>I stored it</Button>
      </DialogActions>
    </div>
  </Modal>
)
