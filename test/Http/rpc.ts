import type { TaskEvent } from "@troupe/api/TaskEvent"
import { Stream } from "effect"
import { type Fakes, makeFakes } from "./Fakes.ts"

export const call = (tag: string, payload: unknown = {}, id = "1") =>
  JSON.stringify({ _tag: "Request", id, tag, payload, headers: [] })

export const event: TaskEvent = { _tag: "text", delta: "x" }

export const endless = (): Fakes => {
  const fakes = makeFakes()
  fakes.events = () => Stream.concat(Stream.make(event), Stream.never)
  return fakes
}
