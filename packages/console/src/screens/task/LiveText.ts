import type { Task } from "@troupe/client"
import { useEffect, useRef, useState } from "react"
import { useIsPageVisible } from "../../service/PageVisibility.ts"
import { service } from "../../service/Service.ts"
import { isFinished } from "./TaskState.ts"

/** What the model writes at this moment; each step that is saved begins a new text. `seq`: the newest step that is known. */
export const useLiveText = (task: Task, seq: number | undefined): string => {
  const { id } = task
  // A browser opens six connections to a host at most: streams of hidden tabs would block every request.
  // Also while it waits: the first call after an answer begins before this page knows of it.
  const isFollowed = useIsPageVisible() && !isFinished(task)
  const [text, setText] = useState("")
  const newest = useRef(seq)
  newest.current = seq
  const isKnown = seq !== undefined
  useEffect(() => {
    if (!isFollowed || !isKnown) return
    const ending = new AbortController()
    const read = async () => {
      const watching = { after: `${newest.current ?? 0}.0`, signal: ending.signal, onLost: () => setText("") }
      for await (const event of service.watch(id, watching)) {
        if (event._tag === "text") setText((before) => before + event.delta)
        else setText("")
      }
    }
    // The stream of all tasks shows that the connection is lost.
    read().catch(() => undefined)
    return () => {
      ending.abort()
      setText("")
    }
  }, [id, isFollowed, isKnown])
  return text
}
