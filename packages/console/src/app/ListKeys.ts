import { useEffect, useRef, useState } from "react"
import { tinykeys } from "tinykeys"
import { unlessTyping } from "./Shortcuts.ts"

interface ListKeys<A> {
  readonly entries: ReadonlyArray<A>
  readonly onMove: (index: number) => void
  readonly onOpen: (entry: A) => void
  /** What `e` does with the entry. */
  readonly onDone?: (entry: A) => void
}

/** `j` and `k` move through a list, Enter opens an entry. The result is the index of the current entry; -1: none yet. */
export const useListKeys = <A>(list: ListKeys<A>): number => {
  const [index, setIndex] = useState(-1)
  const latest = useRef({ index, list })
  useEffect(() => {
    latest.current = { index, list }
  })
  useEffect(() => {
    const move = (by: number) =>
      unlessTyping(() => {
        const { index, list } = latest.current
        const next = Math.min(Math.max(index + by, 0), list.entries.length - 1)
        setIndex(next)
        if (next >= 0) list.onMove(next)
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
        if (current !== undefined && event.target === document.body) latest.current.list.onOpen(current)
      }
    })
  }, [])
  return index
}
