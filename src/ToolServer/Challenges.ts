import { Effect } from "effect"
import { authorizationFetch } from "../Wire/AuthorizationFetch.ts"
import type { Challenge } from "../Wire/Grantor.ts"
import { type HttpServer, revealed } from "./ToolServer.ts"

const field = /\b(scope|error|resource_metadata)=(?:"([^"]*)"|([^\s,"]+))/gi

const fieldIn = (header: string, name: string): string | null => {
  for (const [, key = "", quoted, plain] of header.matchAll(field)) {
    if (key.toLowerCase() === name) return quoted ?? plain ?? null
  }
  return null
}

/** What the header WWW-Authenticate of a tool server says; nothing if it asks for another kind of sign-in. */
export const challengeIn = (header: string | null): Challenge => {
  const bearer = header === null ? null : /(?:^|,)\s*bearer\b(.*)$/is.exec(header)?.[1] ?? null
  if (bearer === null) return { metadataUrl: null, scopes: null }
  const address = fieldIn(bearer, "resource_metadata")
  return {
    metadataUrl: address !== null && URL.canParse(address) ? address : null,
    scopes: fieldIn(bearer, "scope") || null
  }
}

/** The token is good and allows too little. */
export const isInsufficient = (header: string | null): boolean =>
  header !== null && fieldIn(header, "error") === "insufficient_scope"

const scopesIn = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((scope) => scope !== "")

/** The wanted scopes that are not granted yet. */
export const withoutGranted = (wanted: string, granted: string): string => {
  const known = new Set(scopesIn(granted))
  return scopesIn(wanted).filter((scope) => !known.has(scope)).join(" ")
}

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
