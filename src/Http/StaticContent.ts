import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import fresh from "fresh"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { nothingHere } from "./ProblemResponse.ts"

export type StaticApp = HttpApp.Default<never, HttpServerRequest.HttpServerRequest>

/** Quality 11 takes seconds and saves another tenth. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

type Encoding = "br" | "gzip" | "identity"

/** The smallest encoding that the client accepts; one with `q=0` is refused. */
const encodingFor = (accepted: string | undefined): Encoding => {
  const names = (accepted ?? "").toLowerCase().split(",").map((part) => part.replaceAll(" ", ""))
    .filter((part) => !/;q=0(?:\.0*)?$/.test(part))
    .map((part) => part.split(";")[0])
  return names.includes("br") ? "br" : names.includes("gzip") ? "gzip" : "identity"
}

/** A name that changes with the content. */
export const contentHash = (content: string | Uint8Array) =>
  createHash("sha256").update(content).digest("base64url").slice(0, 22)

/** How long browsers keep content: for good under a name with its hash, else until they have asked whether it changed. */
export const cacheControl = { forever: "public, max-age=31536000, immutable", revalidated: "no-cache" }

/** Serves the file that the parameter `file` of the path names. */
export const serveFiles = <R>(files: Effect.Effect<ReadonlyMap<string, StaticApp>, never, R>) =>
  Effect.flatMap(
    Effect.zip(files, HttpRouter.params),
    ([files, { file = "" }]) => files.get(file) ?? Effect.die(nothingHere)
  )

/** Serves constant content, compressed once for each encoding, and not sent again to a browser that has it. */
export const serveStatic = (
  content: string | Uint8Array,
  options: {
    readonly contentType: string
    readonly cacheControl: string
    readonly headers?: Readonly<Record<string, string>>
  }
): Effect.Effect<StaticApp> =>
  Effect.gen(function*() {
    const bytes = typeof content === "string" ? Buffer.from(content) : content
    const etag = `"${contentHash(content)}"`
    const encoded = {
      br: yield* Effect.cached(Effect.promise(() => promisify(brotliCompress)(bytes, brotliOptions))),
      gzip: yield* Effect.cached(Effect.promise(() => promisify(gzip)(bytes))),
      identity: Effect.succeed(bytes)
    }
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const headers = {
        ...options.headers,
        "cache-control": options.cacheControl,
        etag: `W/${etag}`,
        vary: "Accept-Encoding, Origin"
      }
      if (fresh({ "if-none-match": request.headers["if-none-match"] }, headers)) {
        return Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
      }
      const encoding = encodingFor(request.headers["accept-encoding"])
      return Effect.map(encoded[encoding], (body) =>
        HttpServerResponse.uint8Array(body, {
          contentType: options.contentType,
          headers: { ...headers, ...(encoding === "identity" ? {} : { "content-encoding": encoding }) }
        }))
    })
  })
