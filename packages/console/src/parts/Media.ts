import { useSyncExternalStore } from "react"

const media = (condition: string) => {
  const list = matchMedia(condition)
  const subscribe = (listener: () => void) => {
    list.addEventListener("change", listener)
    return () => list.removeEventListener("change", listener)
  }
  return (): boolean => useSyncExternalStore(subscribe, () => list.matches)
}

/** Whether there is room for two columns beside the navigation. */
export const useIsWide = media("(min-width: 64rem)")

/** Whether the window is as narrow as a telephone's (`max-md`). */
export const useIsNarrow = media("(width < 48rem)")
