import { Effect, Runtime, type Scope } from "effect"
import { createHash, randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { type HttpToolServer, httpToolServer, type ServerAnswers } from "./HttpToolServer.ts"
import { serve } from "./LocalServer.ts"

/** What somebody has allowed: all tokens that come of it end together. */
interface Grant {
  readonly client: string
  readonly challenge: string
  readonly scope: string
}

/** A refresh request came in, or its tokens are issued and not sent yet. */
export type RefreshMoment = "arrived" | "issued"

/**
 * An authorization server that lets everybody in, with a refresh token for each use: one that is used again ends the tokens of its
 * grant. What it must not see, it counts.
 */
export interface AuthorizationServer {
  readonly issuer: string
  /** What it says of itself and answers, over what it would by itself. */
  metadata: Readonly<Record<string, unknown>>
  /** Parameters of the address to which it sends browsers, over its own; null: it leaves the parameter out. */
  answer: Readonly<Record<string, string | null>>
  /** Of access tokens from now on. */
  seconds: number
  /** The answer of the token endpoint instead of tokens. */
  refusal: { readonly status: number; readonly body: object } | null
  /** Whether a refresh token holds until its successor is used, as some servers have it for answers that are lost. */
  overlaps: boolean
  /** Runs at each refresh, which goes on if it answers true; else the connection is cut. */
  atRefresh: ((moment: RefreshMoment) => Effect.Effect<boolean>) | null
  /** Parameters of the requests for tokens, with their header Authorization if they have one. */
  readonly asked: Array<Readonly<Record<string, string>>>
  readonly registered: () => number
  /** Requests to revoke tokens, with their header Authorization. */
  readonly revoked: Array<Readonly<Record<string, string>>>
  /** The status that they get. */
  revocation: number
  /** Refresh tokens that were used again. */
  readonly replayed: () => number
  readonly refreshed: () => number
  readonly isValid: (token: string, scope?: string) => boolean
  /** All tokens so far. */
  readonly revoke: () => void
}

const bodyOf = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let body = ""
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk)).on("end", () => resolve(body))
  })

export const authorizationServer = (): Effect.Effect<AuthorizationServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = Runtime.runPromise(yield* Effect.runtime<never>())
    const codes = new Map<string, Grant>()
    const refreshTokens = new Map<string, { readonly grant: Grant; successor: string | null }>()
    const live = new Map<string, { readonly until: number; readonly grant: Grant }>()
    let registrations = 0
    let replays = 0
    let refreshes = 0
    const json = (response: ServerResponse, status: number, body: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    const issue = (grant: Grant, renewable = true) => {
      const access = `access-${randomUUID()}`
      live.set(access, { until: performance.now() + server.seconds * 1000, grant })
      const refresh = `refresh-${randomUUID()}`
      if (renewable) refreshTokens.set(refresh, { grant, successor: null })
      return {
        access_token: access,
        token_type: "Bearer",
        expires_in: server.seconds,
        scope: grant.scope,
        ...(renewable ? { refresh_token: refresh } : {})
      }
    }
    const end = (grant: Grant) => {
      for (const tokens of [live, refreshTokens]) {
        for (const [token, one] of tokens) if (one.grant === grant) tokens.delete(token)
      }
    }
    const refuse = (response: ServerResponse, error: string) => json(response, 400, { error })
    const goesOn = (moment: RefreshMoment) => run(server.atRefresh?.(moment) ?? Effect.succeed(true))
    const refreshWith = async (response: ServerResponse, token: string) => {
      if (!(await goesOn("arrived"))) return response.destroy()
      const known = refreshTokens.get(token)
      if (known === undefined) return refuse(response, "invalid_grant")
      if (known.successor !== null) {
        replays++
        const isLost = server.overlaps && refreshTokens.get(known.successor)?.successor === null
        if (!isLost) {
          end(known.grant)
          return refuse(response, "invalid_grant")
        }
        refreshTokens.delete(known.successor)
      }
      refreshes++
      const issued = issue(known.grant)
      known.successor = issued.refresh_token ?? null
      return (await goesOn("issued")) ? json(response, 200, issued) : response.destroy()
    }
    const token = (response: ServerResponse, given: URLSearchParams, authorization: string | undefined) => {
      server.asked.push({ ...(authorization === undefined ? {} : { authorization }), ...Object.fromEntries(given) })
      if (server.refusal !== null) return json(response, server.refusal.status, server.refusal.body)
      switch (given.get("grant_type")) {
        case "authorization_code": {
          const code = given.get("code") ?? ""
          const grant = codes.get(code)
          codes.delete(code)
          const challenge = createHash("sha256").update(given.get("code_verifier") ?? "").digest("base64url")
          return grant?.challenge === challenge
            ? json(response, 200, issue(grant))
            : refuse(response, "invalid_grant")
        }
        case "refresh_token":
          return void refreshWith(response, given.get("refresh_token") ?? "")
        case "client_credentials":
          return json(response, 200, issue({ client: "", challenge: "", scope: given.get("scope") ?? "" }, false))
        default:
          return refuse(response, "unsupported_grant_type")
      }
    }
    const issuer = yield* serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost")
      if (pathname === "/.well-known/oauth-authorization-server") {
        return json(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          revocation_endpoint: `${issuer}/revoke`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
          authorization_response_iss_parameter_supported: true,
          ...server.metadata
        })
      }
      if (pathname === "/authorize") {
        const code = `code-${randomUUID()}`
        codes.set(code, {
          client: searchParams.get("client_id") ?? "",
          challenge: searchParams.get("code_challenge") ?? "",
          scope: searchParams.get("scope") ?? ""
        })
        const back = new URL(searchParams.get("redirect_uri") ?? "")
        const answer = { code, state: searchParams.get("state"), iss: issuer, ...server.answer }
        for (const [name, value] of Object.entries(answer)) if (value !== null) back.searchParams.set(name, value)
        return void response.writeHead(302, { location: back.href }).end()
      }
      if (pathname === "/register") {
        return void bodyOf(request).then((body) => {
          registrations++
          return json(response, 201, { ...JSON.parse(body), client_id: `client-${registrations}` })
        })
      }
      if (pathname === "/revoke") {
        return void bodyOf(request).then((body) => {
          const { authorization = "" } = request.headers
          server.revoked.push({ authorization, ...Object.fromEntries(new URLSearchParams(body)) })
          return json(response, server.revocation, {})
        })
      }
      if (pathname === "/token") {
        return void bodyOf(request).then((body) =>
          token(response, new URLSearchParams(body), request.headers.authorization)
        )
      }
      return void response.writeHead(404).end()
    })
    const server: AuthorizationServer = {
      issuer,
      metadata: {},
      answer: {},
      seconds: 3600,
      refusal: null,
      overlaps: false,
      atRefresh: null,
      revoked: [],
      revocation: 200,
      asked: [],
      registered: () => registrations,
      replayed: () => replays,
      refreshed: () => refreshes,
      isValid: (given, scope) => {
        const found = live.get(given)
        return found !== undefined && found.until > performance.now()
          && (scope === undefined || found.grant.scope.split(" ").includes(scope))
      },
      revoke: () => {
        live.clear()
        refreshTokens.clear()
      }
    }
    return server
  })

export interface ProtectedToolServer extends HttpToolServer {
  /** What it says of itself as a resource, over what it would by itself. */
  resource: Readonly<Record<string, unknown>>
  /** The scope that calls need. */
  scope: string | undefined
  readonly address: string
}

/** A tool server that takes the tokens of the authorization server alone. */
export const protectedToolServer = (
  authority: AuthorizationServer,
  answers: ServerAnswers = {}
): Effect.Effect<ProtectedToolServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const facts: { resource: Readonly<Record<string, unknown>>; scope: string | undefined } = {
      resource: {},
      scope: undefined
    }
    const server: HttpToolServer = yield* httpToolServer({
      ...answers,
      admits: (request, response) => {
        const base = server.url("http").replace(/\/mcp$/, "")
        const metadata = `${base}/.well-known/oauth-protected-resource/mcp`
        if (request.url === "/.well-known/oauth-protected-resource/mcp") {
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({
            resource: `${base}/mcp`,
            authorization_servers: [authority.issuer],
            scopes_supported: ["tools"],
            ...facts.resource
          }))
          return false
        }
        const token = request.headers.authorization?.replace(/^Bearer /, "") ?? ""
        if (!authority.isValid(token)) {
          response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end()
          return false
        }
        if (facts.scope !== undefined && !authority.isValid(token, facts.scope)) {
          response.writeHead(403, {
            "www-authenticate":
              `Bearer error="insufficient_scope", scope="${facts.scope}", resource_metadata="${metadata}"`
          }).end()
          return false
        }
        return true
      }
    })
    return Object.assign(facts, server, { address: server.url("http") })
  })
