import { useEffect, useRef, useState } from "react"
import { tinykeys } from "tinykeys"
import { unlessTyping } from "./Keys.ts"
import { overlay } from "./Overlays.ts"

interface ListKeys<A> {
  readonly entries: ReadonlyArray<A>
  /** Brings the entry into view; its element may appear later. */
  readonly onMove: (index: number) => void
  /** What gets the focus. */
  readonly elementOf: (index: number) => HTMLElement | null | undefined
  readonly onOpen: (entry: A) => void
  /** What `e` does with the entry. */
  readonly onDone?: (entry: A) => void
}

/** What does something else on Enter. */
const ownsEnter = "a, button, summary, input, textarea, select, [contenteditable=true], [role=dialog], [role=tree]"

/**
 * `j` and `k` move the focus through a list, Enter opens an entry. The result is the index of the current entry, which stays
 * the current one wherever others appear or leave; -1: none yet.
 */
export const useListKeys = <A extends { readonly id: string }>(list: ListKeys<A>): number => {
  const [current, setCurrent] = useState({ id: "", index: -1 })
  const found = current.index === -1 ? -1 : list.entries.findIndex(({ id }) => id === current.id)
  const isLeft = current.index !== -1 && found === -1
  const index = isLeft ? Math.min(current.index, list.entries.length - 1) : found
  const latest = useRef({ index, list })
  const isAwaited = useRef(false)
  const focus = (list: ListKeys<A>, index: number) => {
    const element = list.elementOf(index)
    element?.focus()
    isAwaited.current = element === null || element === undefined
  }
  useEffect(() => {
    latest.current = { index, list }
    const entry = list.entries[index]
    if (isLeft && entry !== undefined) setCurrent({ id: entry.id, index })
    if (isAwaited.current || (isLeft && document.activeElement === document.body)) focus(list, index)
  })
  useEffect(() => {
    const move = (by: number) =>
      unlessTyping(() => {
        const { index, list } = latest.current
        const next = Math.min(Math.max(index + by, 0), list.entries.length - 1)
        setCurrent({ id: list.entries[next]?.id ?? "", index: next })
        // Enter is then for this entry, and no longer for the link or button that was used before.
        const used = document.activeElement
        if (used instanceof HTMLElement && used.matches(ownsEnter)) used.blur()
        if (next < 0) return
        list.onMove(next)
        focus(list, next)
      })
    const entry = () => latest.current.list.entries[latest.current.index]
    return tinykeys(window, {
      j: move(1),
      k: move(-1),
      e: unlessTyping(() => {
        const current = entry()
        if (current !== undefined) latest.current.list.onDone?.(current)
      }),
      Enter: (event) => {
        const current = entry()
        const isTaken = overlay.get() !== null || !(event.target instanceof Element)
          || event.target.closest(ownsEnter) !== null
        if (current !== undefined && !isTaken) latest.current.list.onOpen(current)
      }
    })
  }, [])
  return index
}
