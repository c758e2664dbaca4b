import type { Task } from "@troupe/client"
import { useEffect, useState } from "react"
import { service } from "../../service/Service.ts"

/** What the model writes at this moment; each step that is saved begins a new text. */
export const useLiveText = (task: Task): string => {
  const { id } = task
  const isRunning = task.status === "running"
  const [text, setText] = useState("")
  useEffect(() => {
    if (!isRunning) return
    const ending = new AbortController()
    const read = async () => {
      for await (const event of service.watch(id, { signal: ending.signal, onLost: () => setText("") })) {
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
  }, [id, isRunning])
  return text
}
