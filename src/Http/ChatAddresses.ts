import type { TestStep } from "@troupe/api/SettingsApi"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { basePathOf, isLoopback } from "../Runtime/NetworkAddress.ts"
import { makeWebhookClient } from "../Wire/WebhookClient.ts"

/** Where the chat platform sends its requests, and how an unsigned one is answered. */
const addresses = [
  { name: "Address for events", path: "/team-chat/dm_response", status: 200 },
  { name: "Address for buttons", path: "/team-chat/interactive", status: 401 },
  { name: "Address for the command", path: "/team-chat/command", status: 401 }
] as const

/** From here it is not known whether the platform gets through, too. */
const reservation =
  "The platform comes from the internet: whether it gets through, it says when it verifies the address."

/** Whether this service answers at the addresses that the chat platform calls, as far as that can be seen from here. */
export const checkAddresses = (publicUrl: URL): Effect.Effect<ReadonlyArray<TestStep>> => {
  const { hostname, origin } = publicUrl
  if (hostname === "localhost" || isLoopback(hostname)) {
    return Effect.succeed([{
      name: "Addresses",
      status: "unknown",
      detail:
        `The platform can't reach ${origin}: set BACKEND_API_URL to the address at which others reach this service.`
    }])
  }
  return Effect.scoped(
    Effect.flatMap(
      makeWebhookClient({ publicOnly: false, timeout: "5 seconds" }),
      (post) =>
        Effect.forEach(addresses, ({ name, path, status }) => {
          const address = `${origin}${basePathOf(publicUrl)}${path}`
          const id = randomUUID()
          return Effect.match(post(address, "{}", { "x-request-id": id }), {
            onFailure: ({ message }): TestStep => ({
              name,
              status: "unknown",
              detail:
                `${address} does not answer this machine, which may be right where it is in a network of its own: ${message}`
            }),
            onSuccess: (answer): TestStep =>
              answer.status === status && answer.headers["x-request-id"] === id
                ? {
                  name,
                  status: publicUrl.protocol === "https:" ? "ok" : "failed",
                  detail: publicUrl.protocol === "https:"
                    ? `${address} answers.`
                    : `${address} answers, but the platform calls only addresses that begin with https://.`
                }
                : {
                  name,
                  status: "failed",
                  detail:
                    `${address} is answered by something else (status ${answer.status}): BACKEND_API_URL must lead to this service.`
                }
          })
        }, { concurrency: "unbounded" })
    )
  ).pipe(
    Effect.map((steps) => [...steps, { name: "From outside", status: "unknown" as const, detail: reservation }])
  )
}
