import type * as Sdk from "@modelcontextprotocol/sdk/client/auth.js"
import type { OAuthClient } from "./Grantor.ts"

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
