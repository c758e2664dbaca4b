import { type RefObject, useCallback } from "react"

/** Pixels from the end that still count as the end. */
const nearEnd = 24

/**
 * For the element that scrolls around a text that grows: it stays at the end of its first child, until a person scrolls up, and
 * again once they have returned to the end. `followed` says whether
 * it does: at first as it is given.
 */
export const useFollowedEnd = (
  followed: RefObject<boolean>
): (element: HTMLElement | null) => (() => void) | undefined =>
  useCallback((element) => {
    const content = element?.firstElementChild
    if (element === null || content === null || content === undefined) return undefined
    let before = element.scrollTop
    let seenHeight = element.scrollHeight
    const onScroll = () => {
      // The end that the person saw: text that came since then also leads away from it, but it does not scroll up.
      const height = Math.min(seenHeight, element.scrollHeight)
      const isAtEnd = height - element.scrollTop - element.clientHeight <= nearEnd
      if (isAtEnd) followed.current = true
      else if (element.scrollTop < before) followed.current = false
      before = element.scrollTop
    }
    const observer = new ResizeObserver(() => {
      onScroll()
      seenHeight = element.scrollHeight
      if (followed.current) element.scrollTop = seenHeight
    })
    element.addEventListener("scroll", onScroll, { passive: true })
    observer.observe(content)
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", onScroll)
    }
  }, [followed])
