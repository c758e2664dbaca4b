import { useEffect, useRef } from "react"
import { tinykeys } from "tinykeys"
import { unlessTyping } from "../../../parts/Keys.ts"

/** What the keys `a`, `d` and `shift+a` do; a key that is held down does it once. */
export interface ApprovalKeys {
  readonly a?: (() => void) | undefined
  readonly d?: (() => void) | undefined
  readonly "Shift+A"?: (() => void) | undefined
}

export const useApprovalKeys = (keys: ApprovalKeys): void => {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const on = (key: keyof ApprovalKeys) => (event: KeyboardEvent) => {
      if (!event.repeat) unlessTyping(() => latest.current[key]?.())(event)
    }
    return tinykeys(window, { a: on("a"), d: on("d"), "Shift+A": on("Shift+A") })
  }, [])
}
