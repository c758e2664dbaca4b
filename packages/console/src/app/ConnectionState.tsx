import type { QueryClient } from "@tanstack/react-query"
import { WifiOff } from "../parts/Icons.ts"
import { serviceUrl } from "../service/Address.ts"
import { makeLiveCache } from "../service/LiveCache.ts"
import { type Connection, listen } from "../service/LiveEvents.ts"
import { service } from "../service/Service.ts"
import { sessionQuery } from "../service/SessionQueries.ts"
import { makeStore } from "../service/Store.ts"

const connection = makeStore<Connection>("connecting")

/** Keeps the cache current for as long as the page is open. */
export const followEvents = (cache: QueryClient): void => {
  const live = makeLiveCache(cache)
  let wasLost = false
  listen(service, `troupe-events ${serviceUrl}`, {
    onEvent: live.apply,
    onGap: live.reload,
    onConnection: (next) => {
      connection.set(next)
      // What failed while the service was away is asked for again.
      if (next === "open" && wasLost) live.reload()
      wasLost = next === "lost"
      // Perhaps because the session has ended.
      if (wasLost) void cache.invalidateQueries({ queryKey: sessionQuery.queryKey })
    }
  })
}

/** Says while the screens may be out of date. */
export const ConnectionState = () =>
  connection.use() === "lost"
    ? (
      <p role="status" className="flex items-center justify-center gap-2 bg-wait-soft px-3 py-1 text-wait">
        <WifiOff aria-hidden className="size-4" /> Reconnecting to the service …
      </p>
    )
    : null
