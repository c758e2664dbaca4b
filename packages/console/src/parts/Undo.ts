import { toast } from "sonner"
import { problemText } from "./Problem.tsx"

/** How long a person may take something back. */
export const undoMillis = 5_000

/** Says what was done, with a button that takes it back. */
export const offerUndo = (done: string, undo: () => Promise<unknown>): void =>
  void toast.success(done, {
    duration: undoMillis,
    action: {
      label: "Undo",
      onClick: () =>
        void undo().then(
          () => toast.success("Undone"),
          (error: unknown) => toast.error("It could not be undone", { description: problemText(error) })
        )
    }
  })
