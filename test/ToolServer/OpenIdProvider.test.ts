import { fetch } from "@effect/platform-node/Undici"
import { assert, it } from "@effect/vitest"
import { Effect, Schedule, type Scope } from "effect"
import { spawn } from "node:child_process"
import type { IncomingMessage, ServerResponse } from "node:http"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { askingServer, text } from "../support/AskingServer.ts"
import { eventually } from "../support/Eventually.ts"
import { isRecord, startService } from "./signIn.ts"

/** The life of its access tokens. */
const seconds = 2

interface Provider {
  readonly issuer: string
  /** What has happened there, in order. */
  readonly events: () => ReadonlyArray<string>
}

const openIdProvider: Effect.Effect<Provider, never, Scope.Scope> = Effect.gen(function*() {
  const program = fileURLToPath(new URL("../support/openIdProvider.mjs", import.meta.url))
  const lines: Array<string> = []
  let rest = ""
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [program, String(seconds)], { stdio: ["ignore", "pipe", "ignore"] })
      child.stdout.setEncoding("utf8").on("data", (piece: string) => {
        const pieces = (rest + piece).split("\n")
        rest = pieces.pop() ?? ""
        lines.push(...pieces)
      })
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const [first = ""] = yield* eventually(Effect.sync(() => lines), ({ length }) => length > 0)
  return { issuer: first.replace("issuer ", ""), events: () => lines.slice(1) }
})

/** Asks the provider about the token (RFC 7662). */
const isActive = async ({ issuer }: Provider, token: string, resource: string): Promise<boolean> => {
  const response = await fetch(`${issuer}/token/introspection`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from("resource:a-secret-of-the-resource").toString("base64")}` },
    body: new URLSearchParams({ token })
  })
  const found: unknown = await response.json()
  return isRecord(found) && found["active"] === true && found["aud"] === resource && found["scope"] === "tools"
}

/** Lets in who has a token that the provider has issued for this server and not revoked. */
const admits =
  (provider: Provider, seen: Array<string>) =>
  async (request: IncomingMessage, response: ServerResponse, url: string) => {
    const about = new URL("/.well-known/oauth-protected-resource/mcp", url).href
    if (request.url === new URL(about).pathname) {
      const metadata = { resource: url, authorization_servers: [provider.issuer], scopes_supported: ["tools"] }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata))
      return false
    }
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? ""
    if (token !== "" && await isActive(provider, token, url)) {
      if (!seen.includes(token)) seen.push(token)
      return true
    }
    response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${about}"` }).end()
    return false
  }

/** A browser whose person signs in and allows everything; the text of the page at which it ends. */
const browse = async (address: string): Promise<string> => {
  const cookies = new Map<string, string>()
  let [url, body]: [string, URLSearchParams | null] = [address, null]
  for (let steps = 0; steps < 20; steps++) {
    const response = await fetch(url, {
      redirect: "manual",
      method: body === null ? "GET" : "POST",
      headers: { cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ") },
      ...(body === null ? {} : { body })
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const page = await response.text()
    const location = response.headers.get("location")
    const form = /<form[^]* action="([^"]+)"[^]*name="prompt" value="(\w+)"/.exec(page)
    if (location === null && form === null) return page
    url = new URL(location ?? form?.[1] ?? "", url).href
    body = location === null
      ? new URLSearchParams({ prompt: form?.[2] ?? "", login: "ada", password: "hush" })
      : null
  }
  return assert.fail(`The sign-in goes round and round, now at ${url}`)
}

it.scopedLive(
  "A server of the protocol's own library behind an OpenID provider is found, signed in at, called with tokens that rotate, and revoked",
  () =>
    Effect.gen(function*() {
      const provider = yield* openIdProvider
      const tokens: Array<string> = []
      const tools = yield* askingServer({ count: () => text("one") }, { admits: admits(provider, tokens) })
      const service = yield* startService()
      yield* service.configure({ srv: { url: tools.url } })
      yield* service.server("srv", "needs_sign_in")
      const begun = yield* service.send("POST", "/api/mcp/servers/srv/connect")
      assert.strictEqual(begun.status, 200, begun.text)
      const page = new URL(String(begun.json["url"]))
      assert.strictEqual(page.origin, provider.issuer)
      assert.strictEqual(page.searchParams.get("resource"), tools.url)
      assert.strictEqual(page.searchParams.get("code_challenge_method"), "S256")
      assert.include(yield* Effect.promise(() => browse(page.href)), "<b>srv</b> is connected")
      const { connection } = yield* service.server("srv", "connected")
      assert(isRecord(connection))
      assert.deepInclude(connection, { issuer: provider.issuer, needs_sign_in: false, last_error: null })

      const call = Effect.flatMap(service.asks("use srv__count {}"), (id) => service.task(id, "completed"))
      const calls = yield* Effect.repeat(Effect.as(call, 1), {
        // Each call is a whole task: more of them would only take processor time.
        schedule: Schedule.zipRight(Schedule.spaced("250 millis"), Schedule.count),
        until: () => tokens.length > 2
      })
      assert.lengthOf(tools.rounds(), calls + 1)
      assert.isAbove(provider.events().filter((event) => event === "refresh_token.consumed").length, 1)
      // It does not know the scopes of resources as those of a client.
      assert.deepStrictEqual(provider.events().filter((event) => event.startsWith("registration")), [
        "registration_create.error invalid_client_metadata: scope must only contain Authorization Server supported scope values",
        "registration_create.success"
      ])
      const ended = () => provider.events().filter((event) => /^(?:auth|grant|revocation|server)/.test(event))
      assert.deepStrictEqual(ended(), [], "no refresh token was used twice")

      assert.strictEqual((yield* service.send("DELETE", "/api/mcp/servers/srv/connection")).status, 204)
      yield* eventually(Effect.sync(ended), ({ length }) => length > 0)
      assert.deepStrictEqual(ended(), ["grant.revoked"])
      assert.isFalse(yield* Effect.promise(() => isActive(provider, tokens.at(-1) ?? "", tools.url)))
      yield* service.server("srv", "needs_sign_in")
    }),
  60_000
)
