import { counter, histogram, open, secondsUpTo } from "../Runtime/Metrics.ts"

const requests = counter("troupe_http_requests", "Requests that were answered, by the template of their path.", {
  method: open,
  route: open,
  status: open
})

const requestSeconds = histogram(
  "troupe_http_request_seconds",
  "From when a request came to the beginning of its answer.",
  secondsUpTo(30),
  { method: open, route: open }
)

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** `route`: the path's template, or null where there is none. */
export const answered = (given: string, route: string | null, status: number, seconds: number): void => {
  const method = methods.has(given) ? given : "other"
  requests(1, { method, route: route ?? "none", status: `${Math.floor(status / 100)}xx` })
  requestSeconds(seconds, { method, route: route ?? "none" })
}
