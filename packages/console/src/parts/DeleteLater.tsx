import { Button } from "./Button.tsx"
import { Trash2 } from "./Icons.ts"
import { deleteLater } from "./Undo.ts"

/** A button that deletes one entry of a list, which can be taken back for some seconds; the list hides what `leaving` has. */
export const DeleteLater = ({ id, label, name, onLeave, send, text }: {
  /** The key under which `leaving` has it. */
  readonly id: string
  /** What an icon alone says to those who do not see it. */
  readonly label?: string
  readonly name: string
  /** Leaves what shows the entry. */
  readonly onLeave?: () => void
  readonly send: () => Promise<unknown>
  /** The text on the button; without it, an icon alone. */
  readonly text?: string
}) => {
  const run = () => {
    deleteLater(id, name, send)
    onLeave?.()
  }
  return text === undefined
    ? (
      <Button kind="ghost" size="icon" aria-label={label} title="Delete" onClick={run}>
        <Trash2 aria-hidden />
      </Button>
    )
    : (
      <Button kind="danger" onClick={run}>
        <Trash2 aria-hidden /> {text}
      </Button>
    )
}
