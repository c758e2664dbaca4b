import { type ReactNode, useState } from "react"
import { toast } from "sonner"
import { Button } from "./Button.tsx"
import { Confirm } from "./Confirm.tsx"
import { type Icon, Trash2 } from "./Icons.ts"

const past = { Delete: "Deleted", Remove: "Removed", Revoke: "Revoked", Withdraw: "Withdrew" } as const

/** A button that deletes after a question. */
export const Delete = <A extends string | undefined>(
  { change, children, icon: Icon = Trash2, input, label, name, noun, onDone, verb = "Delete" }: {
    /** The mutation that deletes it. */
    readonly change: {
      readonly isPending: boolean
      readonly error: unknown
      readonly reset: () => void
      readonly mutateAsync: (input: A) => Promise<unknown>
    }
    readonly input: A
    /** What is deleted, as in “Delete the file”. */
    readonly noun: string
    readonly verb?: keyof typeof past
    /** The text on the button; without it, an icon alone. */
    readonly label?: string
    /** What the icon alone deletes, for those who do not see it. */
    readonly name?: string
    readonly icon?: Icon
    readonly onDone?: () => void
    /** What is lost. */
    readonly children: ReactNode
  }
) => {
  const [isAsking, setIsAsking] = useState(false)
  const close = () => setIsAsking(false)
  return (
    <>
      {label === undefined
        ? (
          <Button
            kind="ghost"
            size="icon"
            aria-label={`${verb} ${name ?? `the ${noun}`}`}
            title={verb}
            onClick={() => setIsAsking(true)}
          >
            <Icon aria-hidden />
          </Button>
        )
        : (
          <Button kind="danger" onClick={() => setIsAsking(true)}>
            <Icon aria-hidden /> {label}
          </Button>
        )}
      {isAsking && (
        <Confirm
          title={`${verb} the ${noun}?`}
          action={`${verb} the ${noun}`}
          isPending={change.isPending}
          error={change.error}
          onClose={() => {
            change.reset()
            close()
          }}
          onConfirm={() =>
            // As a promise, because the entry may leave the list, and this with it, before the caches are current.
            void change.mutateAsync(input).then(() => {
              close()
              toast.success(`${past[verb]} the ${noun}`)
              return onDone?.()
            }, () => undefined)}
        >
          {children}
        </Confirm>
      )}
    </>
  )
}
