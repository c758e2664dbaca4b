import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import { Authentication } from "@troupe/api/Authentication"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Chunk } from "effect"

export interface Routes {
  readonly allowed: (url: string) => ReadonlyArray<string>
  /** Whether the endpoint signs its caller in. It decides only what is counted first: endpoints check for themselves. */
  readonly authenticates: (method: string, url: string) => boolean
}

/** The endpoints that sign their callers in: each a method and a path. */
export const authenticatedOf = ({ api }: HttpApi.Api["Type"]): ReadonlySet<string> => {
  const found = new Set([`GET ${rpcPath}`, `POST ${rpcPath}`])
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      if ([...middleware].some(({ key }) => key === Authentication.key)) {
        found.add(`${endpoint.method} ${endpoint.path}`)
      }
    }
  })
  return found
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
  authenticated: ReadonlySet<string> = new Set()
): Routes => {
  const routes = Chunk.toReadonlyArray(router.routes).map(({ method, path }) => ({
    method,
    matches: pattern(path),
    isAuthenticated: authenticated.has(`${method} ${path}`)
  }))
  const routesAt = (url: string) => {
    const [path = ""] = url.split("?")
    const known = decodeURI(path)
    return routes.filter(({ matches }) => matches.test(known))
  }
  return {
    authenticates: (method, url) => {
      const sought = method === "HEAD" ? "GET" : method
      return routesAt(url).some((route) => route.isAuthenticated && route.method === sought)
    },
    allowed: (url) => {
      const methods = routesAt(url).map(({ method }) => method)
      if (methods.length === 0) return []
      return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])]
    }
  }
}
