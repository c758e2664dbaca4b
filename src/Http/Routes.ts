import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import { Authentication, Uncounted } from "@troupe/api/Authentication"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Chunk, Context, Option } from "effect"

const decodable = Option.liftThrowable(decodeURIComponent)

/** Text that can't be decoded or stored would otherwise be answered with 404. */
export const urlFault = (url: string): string | null => {
  if (!url.includes("%")) return null
  if (url.includes("%00")) return "must not contain NUL characters"
  return Option.isSome(decodable(url)) ? null : "must be percent-encoded UTF-8; a % itself is written as %25"
}

export interface Routes {
  readonly allowed: (url: string) => ReadonlyArray<string>
  /** Whether the endpoint signs its caller in. It decides only what is counted first: endpoints check for themselves. */
  readonly authenticates: (method: string, url: string) => boolean
  /** Whether requests to the endpoint have no rate limit. */
  readonly isUncounted: (method: string, url: string) => boolean
}

/** Endpoints, each a method and a path. */
export interface MarkedEndpoints {
  /** Those that sign their callers in. */
  readonly authenticated: ReadonlySet<string>
  readonly uncounted: ReadonlySet<string>
}

export const markedOf = ({ api }: HttpApi.Api["Type"]): MarkedEndpoints => {
  const authenticated = new Set([`GET ${rpcPath}`, `POST ${rpcPath}`])
  const uncounted = new Set<string>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const name = `${endpoint.method} ${endpoint.path}`
      if ([...middleware].some(({ key }) => key === Authentication.key)) authenticated.add(name)
      if (Context.get(endpoint.annotations, Uncounted)) uncounted.add(name)
    }
  })
  return { authenticated, uncounted }
}

const escaped = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&")

const pattern = (path: string) =>
  new RegExp(
    `^${
      path.replace(/(.)\/$/, "$1").split("/").map((
        part
      ) => (part.startsWith(":") ? "[^/]+" : escaped(part).replace("*", ".*"))).join("/")
    }/?$`
  )

export const routesOf = (
  router: HttpRouter.HttpRouter<unknown, unknown>,
  marked: MarkedEndpoints
): Routes => {
  const routes = Chunk.toReadonlyArray(router.routes).map(({ method, path }) => ({
    method,
    matches: pattern(path),
    name: `${method} ${path}`
  }))
  const routesAt = (url: string) => {
    const [path = ""] = url.split("?")
    const known = decodeURI(path)
    return routes.filter(({ matches }) => matches.test(known))
  }
  const isIn = (names: ReadonlySet<string>) => (method: string, url: string) => {
    const sought = method === "HEAD" ? "GET" : method
    return names.size > 0 && routesAt(url).some((route) => route.method === sought && names.has(route.name))
  }
  return {
    authenticates: isIn(marked.authenticated),
    isUncounted: isIn(marked.uncounted),
    allowed: (url) => {
      const methods = routesAt(url).map(({ method }) => method)
      if (methods.length === 0) return []
      return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])]
    }
  }
}
