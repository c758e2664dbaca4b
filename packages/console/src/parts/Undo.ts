import { toast } from "sonner"
import { makeStore } from "../service/Store.ts"
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

/** What is about to be deleted, by a key: it is hidden, and still there. */
export const leaving = makeStore<ReadonlySet<string>>(new Set())

const waiting = new Map<string, () => void>()

// Who leaves the page has not taken it back: requests with `keepalive` outlive the page.
addEventListener("pagehide", () => {
  for (const send of waiting.values()) send()
})

/**
 * Deletes something after the time in which a person may take it back, and says until then that it will be; it is sent at
 * once when the page is left. What can't be deleted is shown again, with the reason.
 */
export const deleteLater = (key: string, name: string, send: () => Promise<unknown>): void => {
  const show = () => leaving.set(new Set([...leaving.get()].filter((one) => one !== key)))
  const stop = () => {
    clearTimeout(timer)
    waiting.delete(key)
  }
  const run = () => {
    stop()
    void send().catch((error: unknown) => toast.error(`${name} was not deleted`, { description: problemText(error) }))
      .finally(show)
  }
  const timer = setTimeout(run, undoMillis)
  waiting.set(key, run)
  leaving.set(new Set([...leaving.get(), key]))
  toast(`Deleting ${name} …`, {
    duration: undoMillis,
    action: {
      label: "Undo",
      onClick: () => {
        stop()
        show()
      }
    }
  })
}
