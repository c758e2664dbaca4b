import { useRouter } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { tinykeys } from "tinykeys"
import { unlessTyping } from "../../app/Shortcuts.ts"

/** `j` and `k` move through a list of tasks, and Enter opens one. The result is the index of the current entry, or -1. */
export const useListKeys = (tasks: ReadonlyArray<{ readonly id: string }>, onMove: (index: number) => void): number => {
  const router = useRouter()
  const [index, setIndex] = useState(-1)
  const latest = useRef({ index, onMove, tasks })
  latest.current = { index, onMove, tasks }
  useEffect(() => {
    const move = (by: number) =>
      unlessTyping(() => {
        const { index, onMove, tasks } = latest.current
        const next = Math.min(Math.max(index + by, 0), tasks.length - 1)
        setIndex(next)
        onMove(next)
      })
    return tinykeys(window, {
      j: move(1),
      k: move(-1),
      Enter: (event) => {
        const task = latest.current.tasks[latest.current.index]
        if (task === undefined || event.target !== document.body) return
        void router.navigate({ to: "/tasks/$taskId", params: { taskId: task.id } })
      }
    })
  }, [router])
  return index
}
