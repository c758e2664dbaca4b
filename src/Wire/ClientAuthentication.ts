import type * as Sdk from "@modelcontextprotocol/sdk/client/auth.js"
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { OAuthClient, ServerMetadata } from "./Grantor.ts"

/**
 * Adds to a request for an authorization server who sends it, by one of the methods that the server supports. The library's own
 * function leaves out the encoding of RFC 6749, section 2.3.1, so that strict servers read another secret.
 */
export const clientAuthentication =
  (sdk: typeof Sdk, client: OAuthClient, methods: Array<string> = []) =>
  (headers: Headers, parameters: URLSearchParams): void => {
    const { client_id, client_secret = "" } = client
    const method = sdk.selectClientAuthMethod(client, methods)
    if (method === "client_secret_basic") {
      const credentials = Buffer.from([client_id, client_secret].map(formEncoded).join(":"))
      headers.set("authorization", `Basic ${credentials.toString("base64")}`)
      return
    }
    parameters.set("client_id", client_id)
    if (method === "client_secret_post") parameters.set("client_secret", client_secret)
  }

const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/** Tells an authorization server that a token is not used any more (RFC 7009). It may not know the token, or not revoke its kind. */
export const revokeToken = (
  sdk: typeof Sdk,
  fetchFn: FetchLike,
  { client, metadata }: { readonly client: OAuthClient; readonly metadata: ServerMetadata },
  kind: "access_token" | "refresh_token",
  token: string
): Promise<void> => {
  const { revocation_endpoint: address, token_endpoint_auth_methods_supported: methods = [] } = metadata
  if (address === undefined) return Promise.resolve()
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" })
  const body = new URLSearchParams({ token, token_type_hint: kind })
  clientAuthentication(sdk, client, metadata.revocation_endpoint_auth_methods_supported ?? methods)(headers, body)
  return Promise.resolve(fetchFn(address, { method: "POST", headers, body })).then((response) => {
    if (response.ok) return undefined
    return sdk.parseErrorResponse(response).then((error) =>
      error.errorCode === "unsupported_token_type" ? undefined : Promise.reject(error)
    )
  })
}
