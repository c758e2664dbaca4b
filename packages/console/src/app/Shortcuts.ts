import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { tinykeys } from "tinykeys"
import { openNewTask, overlay } from "./Overlays.ts"
import { usePlaces } from "./Places.ts"

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

/** The shortcuts of every screen. */
export const useShortcuts = (): void => {
  const router = useRouter()
  const places = usePlaces()
  useEffect(() =>
    tinykeys(window, {
      "$mod+KeyK": (event) => {
        event.preventDefault()
        overlay.set(overlay.get()?._tag === "commands" ? null : { _tag: "commands" })
      },
      // A field on the screen is left, so that shortcuts work; in a dialog, the key closes the dialog.
      Escape: ({ target }) => {
        const isField = target instanceof HTMLElement && target.matches("input, textarea, select")
        if (isField && target.closest("[role=dialog]") === null) target.blur()
      },
      c: unlessTyping(() => openNewTask()),
      "Shift+?": unlessTyping(() => overlay.set({ _tag: "shortcuts" })),
      "/": unlessTyping(() => document.querySelector<HTMLInputElement>("input[type=search]")?.focus()),
      ...Object.fromEntries(
        places.flatMap(({ places }) => places).map(({ key, to }) => [
          `g ${key}`,
          unlessTyping(() => void router.navigate({ to }))
        ])
      )
    }), [router, places])
}
