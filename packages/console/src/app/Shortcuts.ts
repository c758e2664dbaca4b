import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { tinykeys } from "tinykeys"
import { unlessTyping } from "../parts/Keys.ts"
import { openNewTask, overlay } from "../parts/Overlays.ts"
import { usePlaces } from "./Places.ts"

/** Moves the focus through a list whose entries are all on the page, each marked as `data-entry`, to what opens the entry. */
const moveThroughRows = (by: number) => {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-entry]")]
  const before = rows.findIndex((row) => row.contains(document.activeElement))
  const row = rows[Math.min(Math.max(before + by, 0), rows.length - 1)]
  const target = row?.querySelector<HTMLElement>(".row-target") ?? row
  target?.focus()
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
      "/": unlessTyping(() => {
        const field = document.querySelector<HTMLInputElement>("input[type=search]")
        field?.focus()
        field?.select()
      }),
      j: unlessTyping(() => moveThroughRows(1)),
      k: unlessTyping(() => moveThroughRows(-1)),
      ...Object.fromEntries(
        places.flatMap(({ places }) => places).map(({ key, to }) => [
          `g ${key}`,
          unlessTyping(() => void router.navigate({ to }))
        ])
      )
    }), [router, places])
}
