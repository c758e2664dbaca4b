import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import { Record } from "effect"
import { type Routes, urlFault } from "./Routes.ts"

/**
 * The path of BACKEND_API_URL, below which a proxy serves the whole: `path` is empty without one. Endpoints know nothing
 * of it.
 */
export const makeBasePath = (path: string, routes: Pick<Routes, "allowed">) => {
  const isBelow = ({ url }: HttpServerRequest) =>
    url.startsWith(path) && /^(?:[/?]|$)/.test(url.slice(path.length)) && urlFault(url) === null
    // A proxy has removed the path already, and this is an endpoint that begins like it.
    && routes.allowed(url).length === 0
  return {
    /** The request without the path, which some proxies leave. */
    within: (request: HttpServerRequest): HttpServerRequest =>
      path !== "" && isBelow(request)
        ? request.modify({ url: request.url.slice(path.length).replace(/^(?!\/)/, "/") })
        : request,
    /** Addresses of the service in headers, as seen from outside. */
    outside: (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
      path === "" ? headers : Record.map(headers, (value, name) =>
        name === "location"
          ? value.replace(/^\/(?!\/)/, `${path}/`)
          : name === "link"
          ? value.replaceAll(/<\/(?!\/)/g, `<${path}/`)
          : value)
  }
}
