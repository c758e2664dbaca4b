import { toast } from "sonner"
import { leaving, unsent } from "../service/Leaving.ts"
import { problemText } from "./Problem.tsx"

/** How long a person may take something back. */
const undoMillis = 5_000

/** Says what was done, with a button that takes it back. An offer with the id of an earlier one takes its place. */
export const offerUndo = (done: string, undo: () => Promise<unknown>, id?: string): void =>
  void toast.success(done, {
    ...(id === undefined ? {} : { id }),
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

/**
 * Deletes something after the time in which a person may take it back, and says until then that it will be; it is sent at
 * once when the page is left. What can't be deleted is shown again, with the reason.
 */
export const deleteLater = (key: string, name: string, send: () => Promise<unknown>): void => {
  const show = () => leaving.set(new Set([...leaving.get()].filter((one) => one !== key)))
  const stop = () => {
    clearTimeout(timer)
    unsent.delete(key)
    toast.dismiss(offer)
  }
  const run = () => {
    stop()
    return send().catch((error: unknown) => toast.error(`${name} was not deleted`, { description: problemText(error) }))
      .finally(show)
  }
  const timer = setTimeout(run, undoMillis)
  unsent.set(key, run)
  leaving.set(new Set([...leaving.get(), key]))
  const offer = toast(`Deleting ${name} …`, {
    // As long as it can be taken back: a time of its own would stop while the pointer is on it.
    duration: Infinity,
    action: {
      label: "Undo",
      onClick: () => {
        // It leaves slowly, and may be clicked meanwhile.
        if (!unsent.has(key)) return
        stop()
        show()
      }
    }
  })
}
