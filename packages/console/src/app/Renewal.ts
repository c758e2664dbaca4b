import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useLocation } from "@tanstack/react-router"
import { useEffect } from "react"
import { hasUnstored } from "../service/Drafts.ts"
import { renewAddress, sessionQuery, signedOut } from "../service/SessionQueries.ts"
import { storedText, storeText } from "../service/Storage.ts"

/** When a tab of this browser last tried it. The identity provider may refuse, and two tabs must not do it at once. */
const place = "troupe.renewal"
const pauseMillis = 10 * 60_000

/** Notes the attempt; false if there was one, or if the browser can't keep the note. */
const isFirst = (): boolean => {
  const now = String(Date.now())
  if (Date.now() - Number(storedText(place) ?? 0) < pauseMillis) return false
  storeText(place, now)
  return storedText(place) === now
}

/**
 * Renews the session of a hosted service before it ends: the browser goes to the identity provider, which asks nothing, and
 * comes back to the screen. That happens when a screen opens or the tab is left, and not while a dialog is open or a request
 * changes something. What was typed into a screen is a draft, and is there again.
 */
export const useRenewal = (): void => {
  const cache = useQueryClient()
  const renewAt = useQuery(sessionQuery).data?.renew_at ?? null
  const pathname = useLocation({ select: ({ pathname }) => pathname })
  useEffect(() => {
    const isDue = (at: string | null): boolean => at !== null && Date.parse(at) <= Date.now()
    const isBusy = () => cache.isMutating() > 0 || document.querySelector("[role=dialog]") !== null || hasUnstored()
    const renew = async () => {
      if (!isDue(renewAt) || signedOut.get() || isBusy()) return
      // Neither without a connection, nor after another tab has renewed it or signed out.
      const session = await cache.fetchQuery({ ...sessionQuery, staleTime: 0 })
      if (!isDue(session.renew_at) || isBusy() || !isFirst()) return
      // What is begun now would be lost with the page.
      document.body.inert = true
      location.replace(renewAddress(location))
    }
    const tryToRenew = () => void renew().catch(() => undefined)
    const onLeave = () => {
      if (document.visibilityState === "hidden") tryToRenew()
    }
    tryToRenew()
    document.addEventListener("visibilitychange", onLeave)
    return () => document.removeEventListener("visibilitychange", onLeave)
  }, [cache, pathname, renewAt])
}
