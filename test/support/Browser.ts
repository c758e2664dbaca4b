import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Option } from "effect"

export interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The cookies that the response sets, as text. */
  readonly cookies: ReadonlyArray<string>
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type Browser = ReturnType<typeof makeBrowser>

/** What a page of the service itself sends. */
export const ownPage = { "sec-fetch-site": "same-origin" }

/** Keeps cookies, and follows no redirect by itself. */
export const makeBrowser = (port: number, jar: Map<string, string> = new Map()) => {
  const send = (method: string, path: string, { body, headers = {} }: Sent = {}): Effect.Effect<Page> =>
    HttpClientRequest.make(method as "GET")(`http://127.0.0.1:${port}${path}`, {
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "), ...headers },
      ...(body === undefined ? {} : { body: HttpBody.unsafeJson(body) })
    }).pipe(
      HttpClient.execute,
      Effect.flatMap(({ cookies, headers, status, text }) =>
        Effect.map(text, (text) => {
          for (const { name, value } of Object.values(cookies.cookies)) {
            if (value === "") jar.delete(name)
            else jar.set(name, value)
          }
          const set = Option.toArray(Option.fromNullable(headers["set-cookie"]))
          return { status, headers, text, cookies: set.flatMap((value) => value.split(/, (?=[\w-]+=)/)) }
        })
      ),
      Effect.scoped,
      Effect.provide(NodeHttpClient.layerUndici),
      Effect.orDie
    )
  return { port, jar, send, copy: () => makeBrowser(port, new Map(jar)) }
}

/** The path of the service to which the provider sends the browser back, after the page that `begun` leads to. */
export const cameBack = (begun: Page): Effect.Effect<string> =>
  HttpClient.get(begun.headers["location"] ?? "").pipe(
    Effect.map(({ headers }) => {
      const { pathname, search } = new URL(headers["location"] ?? "")
      return `${pathname.slice(pathname.indexOf("/auth/"))}${search}`
    }),
    Effect.scoped,
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.orDie
  )

/** Signs in whomever the provider's page signs in, and answers the last redirect or page. */
export const signIn = (browser: Browser, returnTo = "/"): Effect.Effect<Page> =>
  browser.send("GET", `/auth/login?return_to=${encodeURIComponent(returnTo)}`).pipe(
    Effect.flatMap(cameBack),
    Effect.flatMap((path) => browser.send("GET", path))
  )
