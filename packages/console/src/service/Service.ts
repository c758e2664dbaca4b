import { createTroupe } from "@troupe/client"
import { serviceUrl } from "./Address.ts"

let isLeft = false
addEventListener("pagehide", () => (isLeft = true), { capture: true })
addEventListener("pageshow", () => (isLeft = false))

/** Every call of the service goes through this client. What is sent as the page is left outlives it. */
export const service = createTroupe({
  url: serviceUrl,
  client: "console",
  fetch: (input, init) => fetch(input, isLeft ? { ...init, keepalive: true } : init)
})
