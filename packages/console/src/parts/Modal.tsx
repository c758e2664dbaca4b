import { Dialog } from "@base-ui/react/dialog"
import { type ReactNode, useRef } from "react"
import { buttonLook } from "./Button.tsx"
import { X } from "./Icons.ts"

const firstField = "form :is(input, select, textarea):not(:disabled, [type=file])"

/** A dialog over the screen, or over another one; Escape closes it, and a click beside it. */
export const Modal = ({ children, isOpen, keepsInput = false, onClose, title, width = "max-w-xl" }: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  readonly width?: string
  /** The dialog has input that is saved nowhere else, so a click beside it does not close it. */
  readonly keepsInput?: boolean
  readonly children: ReactNode
}) => {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Dialog.Root open={isOpen} disablePointerDismissal={keepsInput} onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop forceRender className="fixed inset-0 z-50 bg-page/70" />
        <Dialog.Popup
          ref={popup}
          // A field that has the focus opens the keyboard of a phone, which hides the rest.
          initialFocus={(way) => way === "touch" || (popup.current?.querySelector<HTMLElement>(firstField) ?? true)}
          className={`fixed inset-x-2 top-[8vh] z-50 mx-auto flex max-h-[84vh] ${width} flex-col rounded-lg border bg-surface shadow-2xl`}
        >
          <header className="flex items-center justify-between border-b py-2 pr-2 pl-4">
            <Dialog.Title className="text-base font-semibold">{title}</Dialog.Title>
            <Dialog.Close aria-label="Close" className={buttonLook({ kind: "ghost", size: "icon" })}>
              <X aria-hidden />
            </Dialog.Close>
          </header>
          <div className="min-h-0 scroll-pb-16 overflow-y-auto p-4">{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
