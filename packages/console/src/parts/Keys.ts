import { overlay } from "./Overlays.ts"

/** Whether the key is meant for a field or a dialog. */
const isTaken = ({ target }: KeyboardEvent) =>
  overlay.get() !== null
  || (target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable=true], [role=dialog]") !== null)

/** A key that does something where nothing is typed. */
export const unlessTyping = (run: () => void) => (event: KeyboardEvent) => {
  if (isTaken(event)) return
  event.preventDefault()
  run()
}
