import { Effect } from "effect"
import { authorizationFetch } from "../Wire/AuthorizationFetch.ts"
import type { Challenge } from "../Wire/Grantor.ts"
import { challengeIn } from "./Challenges.ts"
import { type HttpServer, revealed } from "./ToolServer.ts"

const hello = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "troupe", version: "1" } }
})

/** What the server says to a request without a token; nothing if it does not answer. */
export const challengeOf = (server: HttpServer, isHosted: boolean): Effect.Effect<Challenge> => {
  const isEvents = server.transport === "sse"
  return Effect.promise(() =>
    authorizationFetch(isHosted)(server.url, {
      method: isEvents ? "GET" : "POST",
      headers: {
        ...revealed(server.headers),
        accept: "application/json, text/event-stream",
        "content-type": "application/json"
      },
      ...(isEvents ? {} : { body: hello })
    }).then(
      ({ headers, status }) => challengeIn(status === 401 ? headers.get("www-authenticate") : null),
      () => challengeIn(null)
    )
  )
}
