import type * as Sdk from "@modelcontextprotocol/sdk/client/auth.js"
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"
import { clientAuthentication } from "./ClientAuthentication.ts"
import type { OAuthClient, ServerMetadata } from "./Grantor.ts"

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
