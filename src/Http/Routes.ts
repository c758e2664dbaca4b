import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import { Authentication, Uncounted, WebhookAuthentication } from "@troupe/api/Authentication"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Chunk, Context, Option } from "effect"

const decodable = Option.liftThrowable(decodeURIComponent)

/** Text that can't be decoded or stored would otherwise be answered with 404. */
export const urlFault = (url: string): string | null => {
  if (!url.includes("%")) return null
  if (url.includes("%00")) return "must not contain NUL characters"
  return Option.isSome(decodable(url)) ? null : "must be percent-encoded UTF-8; a % itself is written as %25"
}

const signsIn = [Authentication.key, WebhookAuthentication.key]

/** The endpoints, each a method and a path, that sign their callers in, and those without a rate limit. */
export const markedOf = ({ api }: HttpApi.Api["Type"]) => {
  const authenticated = new Set([`POST ${rpcPath}`])
  const uncounted = new Set<string>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const name = `${endpoint.method} ${endpoint.path}`
      if ([...middleware].some(({ key }) => signsIn.includes(key))) authenticated.add(name)
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

export type Routes = ReturnType<typeof routesOf>

export const routesOf = (
  router: HttpRouter.HttpRouter<unknown, unknown>,
  { authenticated, uncounted }: ReturnType<typeof markedOf>
) => {
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
    /** It decides only what is counted first: endpoints check for themselves. */
    authenticates: isIn(authenticated),
    isUncounted: isIn(uncounted),
    allowed: (url: string): ReadonlyArray<string> => {
      const methods = routesAt(url).map(({ method }) => method)
      if (methods.length === 0) return []
      return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])]
    }
  }
}
