import { Clock, Effect, Option, Redacted } from "effect"
import { createHash } from "node:crypto"
import { addressBelow } from "../Runtime/PublicAddress.ts"
import { AuthorizationFailed } from "../Wire/AuthorizationFetch.ts"
import type { AuthorizationServers } from "../Wire/AuthorizationServer.ts"
import {
  clientMetadata,
  foreignEndpoint,
  isSameIssuer,
  type OAuthClient,
  type ServerMetadata
} from "../Wire/Grantor.ts"
import type { PendingSignIns } from "./PendingSignIns.ts"
import type { HttpServer } from "./ToolServer.ts"

/** Addresses under BACKEND_API_URL: where browsers come back, and the client id metadata document. */
export const signInAddresses = (publicUrl: URL) => ({
  callback: addressBelow(publicUrl, "auth/mcp/callback"),
  document: addressBelow(publicUrl, "auth/mcp/client.json")
})

/** The client id metadata document, whose address is the id of the client. */
export const clientDocument = (publicUrl: URL) => ({
  client_id: signInAddresses(publicUrl).document.href,
  ...aboutClient(publicUrl)
})

const aboutClient = (publicUrl: URL) =>
  clientMetadata({
    name: "Troupe",
    home: addressBelow(publicUrl, "").href,
    callback: signInAddresses(publicUrl).callback.href
  })

export interface ClientOf {
  /** The client that is configured, else the metadata document, else one that is registered. */
  (
    server: HttpServer,
    metadata: ServerMetadata,
    scopes: string | null
  ): Effect.Effect<OAuthClient, AuthorizationFailed>
  readonly forget: (server: string, clientId: string) => Effect.Effect<void>
}

export const makeClientOf = (pending: PendingSignIns, servers: AuthorizationServers, publicUrl: URL): ClientOf => {
  const { callback, document } = signInAddresses(publicUrl)

  /** The tool server names the authorization server, so only the first one gets the secret. */
  const configured = (server: HttpServer, clientId: string, { issuer }: ServerMetadata) =>
    Effect.gen(function*() {
      const first = yield* pending.issuerOf(nameOf("configured", server.name, clientId), issuer)
      if (!isSameIssuer(first, issuer)) {
        return yield* new AuthorizationFailed({
          reason:
            `The client ${clientId} belongs to the authorization server ${first}, and the tool server names ${issuer} now. `
            + "If that is right, forget the connection, and connect again.",
          isFinal: true
        })
      }
      const secret = server.signIn?.clientSecret ?? null
      return { client_id: clientId, ...(secret === null ? {} : { client_secret: Redacted.value(secret) }) }
    })

  const registered = (metadata: ServerMetadata, scopes: string | null) =>
    Effect.gen(function*() {
      const { issuer } = metadata
      if (metadata.registration_endpoint === undefined) {
        return yield* new AuthorizationFailed({
          reason:
            `The authorization server ${issuer} registers no clients by itself. Register one there with the address `
            + `${callback.href}, and configure its client_id and client_secret.`,
          isFinal: true
        })
      }
      const name = nameOf("registered", issuer, callback.href)
      const now = (yield* Clock.currentTimeMillis) / 1000
      const known = Option.getOrNull(yield* pending.clientOf(name, issuer))
      const end = known?.client_secret_expires_at ?? 0
      if (known !== null && (end === 0 || end > now + 60)) return known
      const client = yield* servers.register(metadata, {
        name: "Troupe",
        home: addressBelow(publicUrl, "").href,
        callback: callback.href,
        scopes
      })
      yield* pending.saveClient(name, issuer, client)
      return client
    })

  return Object.assign(
    (server: HttpServer, metadata: ServerMetadata, scopes: string | null) => {
      const clientId = server.signIn?.clientId ?? null
      if (clientId !== null) return configured(server, clientId, metadata)
      const foreign = foreignEndpoint(metadata)
      if (foreign !== null) {
        return new AuthorizationFailed({
          reason: `The authorization server ${metadata.issuer} names an address of another site: ${foreign}. `
            + `If that is right, register a client there with the address ${callback.href}, and configure its client_id.`,
          isFinal: true
        })
      }
      return metadata.client_id_metadata_document_supported === true && document.protocol === "https:"
        ? Effect.succeed({ client_id: document.href })
        : registered(metadata, scopes)
    },
    { forget: (server: string, clientId: string) => pending.forgetClient(nameOf("configured", server, clientId)) }
  )
}

const nameOf = (kind: string, ...parts: ReadonlyArray<string>): string =>
  `${kind} ${createHash("sha256").update(parts.join("\0")).digest("base64url")}`
