import { useSyncExternalStore } from "react"

const wide = matchMedia("(min-width: 64rem)")

const subscribe = (listener: () => void) => {
  wide.addEventListener("change", listener)
  return () => wide.removeEventListener("change", listener)
}

/** Whether there is room for two columns beside the navigation. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => wide.matches)
