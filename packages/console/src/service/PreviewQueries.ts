import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { service } from "./Service.ts"

/** The skills and tools that a task with this message would get. */
export const previewQuery = (message: string) =>
  queryOptions({
    queryKey: ["preview", message],
    queryFn: () => service.taskPreview.preview({ message }),
    enabled: message.trim() !== "",
    placeholderData: keepPreviousData,
    gcTime: 60_000
  })

const pauseMillis = 600

/** The text once nobody has typed for a moment. */
export const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMillis)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
