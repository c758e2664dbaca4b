import { Dialog } from "@base-ui/react/dialog"
import type { ReactNode } from "react"

/** The inspector over a narrow screen. */
export const InspectorDialog = ({ children, onClose, seq }: {
  readonly seq: number
  readonly onClose: () => void
  readonly children: ReactNode
}) => (
  <Dialog.Root open onOpenChange={(open) => open || onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="fixed inset-0 z-40 bg-page/70" />
      <Dialog.Popup aria-label={`Inspected step ${seq}`} className="fixed inset-x-2 inset-y-[6vh] z-50 shadow-2xl">
        {children}
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
)
