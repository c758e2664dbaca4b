import type { AnyTaskEvent, Troupe } from "@troupe/client"
import { TroupeError } from "@troupe/client"

export type Connection = "connecting" | "open" | "lost"

interface Listener {
  readonly onEvent: (event: AnyTaskEvent) => void
  readonly onConnection: (connection: Connection) => void
  /** Events may have been missed: what is shown must be read again. */
  readonly onGap: () => void
}

type Message =
  | { readonly _tag: "event"; readonly event: AnyTaskEvent }
  /** `after`: the last event, from which a tab resumes that saw none. */
  | { readonly _tag: "connection"; readonly connection: Connection; readonly after: string | undefined }
  | { readonly _tag: "gap" }
  | { readonly _tag: "hello" }

const pause = (millis: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    }, { once: true })
  })

/**
 * Listens to the events of all tasks. The tabs of a browser share one connection: the tab that holds a lock has it and passes
 * the events on. When that tab closes, another one resumes after the last event that it saw.
 */
export const listen = (troupe: Pick<Troupe, "watchAll">, name: string, listener: Listener): () => void => {
  const ending = new AbortController()
  const { signal } = ending
  const channel = new BroadcastChannel(name)
  let after: string | undefined
  let connection: Connection = "connecting"
  let leads = false

  const show = (next: Connection) => {
    if (connection === next) return
    connection = next
    listener.onConnection(next)
  }
  const take = (event: AnyTaskEvent) => {
    after = event.id
    listener.onEvent(event)
  }
  const send = (message: Message) => channel.postMessage(message)
  const announce = (next: Connection) => {
    show(next)
    send({ _tag: "connection", connection: next, after })
  }
  const announceGap = () => {
    listener.onGap()
    send({ _tag: "gap" })
  }

  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data._tag === "hello") {
      if (leads) send({ _tag: "connection", connection, after })
    } else if (data._tag === "connection") {
      after = data.after ?? after
      show(data.connection)
    } else if (data._tag === "gap") listener.onGap()
    else take(data.event)
  })

  const follow = async () => {
    const resuming = after === undefined ? {} : { after }
    // What changed between the first requests of the page and this moment is in no event of the stream.
    let isFromNow = after === undefined
    const events = troupe.watchAll({
      ...resuming,
      signal,
      onOpen: () => {
        announce("open")
        if (isFromNow) announceGap()
        isFromNow = false
      },
      onLost: () => announce("lost")
    })
    for await (const event of events) {
      take(event)
      send({ _tag: "event", event })
    }
  }

  const lead = async () => {
    leads = true
    while (!signal.aborted) {
      await follow().catch(async (error: unknown) => {
        if (signal.aborted) return
        announce("lost")
        const status = error instanceof TroupeError ? error.status : undefined
        // The session has ended; signing in loads the page anew.
        if (status === 401) return ending.abort()
        // The service refused to resume after this event: the next connection begins now.
        if (status === 400) after = undefined
        await pause(5_000, signal)
      })
    }
  }

  send({ _tag: "hello" })
  // Without a secure context there are no locks, and every tab has a connection.
  if ("locks" in navigator) navigator.locks.request(name, { signal }, lead).catch(() => undefined)
  else void lead()
  return () => {
    ending.abort()
    channel.close()
  }
}
