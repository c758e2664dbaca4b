import type * as HttpRouter from "@effect/platform/HttpRouter"
import { Chunk } from "effect"

export interface Routes {
  readonly allowed: (url: string) => ReadonlyArray<string>
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

export const routesOf = (router: HttpRouter.HttpRouter<unknown, unknown>): Routes => {
  const routes = Chunk.toReadonlyArray(router.routes).map(({ method, path }) => ({ method, matches: pattern(path) }))
  return {
    allowed: (url) => {
      const [path = ""] = url.split("?")
      const known = decodeURI(path)
      const methods = routes.filter(({ matches }) => matches.test(known)).map(({ method }) => method)
      if (methods.length === 0) return []
      return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])]
    }
  }
}
