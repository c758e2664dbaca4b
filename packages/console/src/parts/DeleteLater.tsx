import { Button } from "./Button.tsx"
import { Trash2 } from "./Icons.ts"
import { deleteLater } from "./Undo.ts"

/** A button that deletes one entry of a list, which can be taken back for some seconds; the list hides what `leaving` has. */
export const DeleteLater = ({ id, label, name, send }: {
  /** The key under which `leaving` has it. */
  readonly id: string
  /** What the button says to those who do not see the icon. */
  readonly label: string
  readonly name: string
  readonly send: () => Promise<unknown>
}) => (
  <Button kind="ghost" size="icon" aria-label={label} title="Delete" onClick={() => deleteLater(id, name, send)}>
    <Trash2 aria-hidden />
  </Button>
)
