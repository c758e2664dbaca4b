import { generateKeyPairSync } from "node:crypto"
import { createServer } from "node:http"
import { Provider } from "oidc-provider"

/** An OpenID provider for people, clients that register themselves, and resources. Prints its issuer, then what happens. */
const server = createServer()
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const issuer = `http://127.0.0.1:${server.address().port}`
const seconds = Number(process.argv[2])
const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" })
const provider = new Provider(issuer, {
  jwks: { keys: [{ ...key, alg: "RS256", use: "sig" }] },
  cookies: { keys: ["a key for the cookies of a test"] },
  clients: [{
    client_id: "resource",
    client_secret: "a-secret-of-the-resource",
    grant_types: [],
    response_types: [],
    redirect_uris: []
  }],
  features: {
    introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === "resource" },
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: "tools", accessTokenTTL: seconds, accessTokenFormat: "opaque" }),
      useGrantedResource: () => true
    }
  },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  rotateRefreshToken: true,
  ttl: { AccessToken: seconds, Grant: 3600, Interaction: 3600, RefreshToken: 3600, Session: 3600 }
})
for (const event of ["refresh_token.saved", "refresh_token.consumed", "grant.revoked", "registration_create.success"]) {
  provider.on(event, () => process.stdout.write(`${event}\n`))
}
for (
  const event of ["grant.error", "authorization.error", "server_error", "registration_create.error", "revocation.error"]
) {
  provider.on(
    event,
    (_, error) => process.stdout.write(`${event} ${error?.error}: ${error?.error_description ?? error}\n`)
  )
}
server.on("request", provider.callback())
process.stdout.write(`issuer ${issuer}\n`)
