import { randomKey } from "./RandomKey.ts"
import { makeStore } from "./Store.ts"

/** A message that was sent from here, and the newest step at that time. */
interface Sent {
  readonly id: string
  readonly text: string
  readonly at: string
  readonly after: number
}

/** Messages to running tasks by the task, as long as the page is open: the service shows them once the agent has read them. */
export const sentMessages = makeStore<ReadonlyMap<string, ReadonlyArray<Sent>>>(new Map())

export const addSent = (taskId: string, text: string, after: number): void => {
  const all = sentMessages.get()
  const sent = { id: randomKey(), text, at: new Date().toISOString(), after }
  sentMessages.set(new Map([...all, [taskId, [...(all.get(taskId) ?? []), sent]]]))
}
