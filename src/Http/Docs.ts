import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import { Effect, Layer } from "effect"
import { basePathOf } from "../Runtime/NetworkAddress.ts"
import { docsPolicy } from "./SecurityHeaders.ts"
import { cacheControl, contentHash, serveFiles, serveStatic, type StaticApp } from "./StaticContent.ts"

type Viewer = Layer.Layer<never, never, HttpApi.Api>

/** The page of a viewer as the platform makes it, with megabytes of scripts and styles in it. */
const rendered = (viewer: Viewer, api: HttpApi.Api["Type"]) =>
  HttpApiBuilder.Router.router.pipe(
    Effect.provide(
      viewer.pipe(Layer.provideMerge(HttpApiBuilder.Router.Live), Layer.provide(Layer.succeed(HttpApi.Api, api)))
    ),
    Effect.flatMap(HttpRouter.toHttpApp),
    Effect.flatten,
    Effect.flatMap((response) => Effect.promise(() => HttpServerResponse.toWeb(response).text())),
    Effect.orDie
  )

const textType = { style: "text/css; charset=utf-8", script: "text/javascript; charset=utf-8" }

/** The page, and its scripts and styles as files with their hash as the name, which browsers may keep for good. */
const load = (path: string, viewer: Viewer, api: HttpApi.Api["Type"]) =>
  Effect.gen(function*() {
    const files = new Map<string, { readonly content: string; readonly contentType: string }>()
    const whole = yield* rendered(viewer, api)
    const html = whole.replace(
      /<(style|script)>([^]*?)<\/\1>/g,
      (_, tag: keyof typeof textType, content: string) => {
        const name = `${contentHash(content)}.${tag === "style" ? "css" : "js"}`
        files.set(name, { content, contentType: textType[tag] })
        return tag === "style"
          ? `<link rel="stylesheet" href="${path}/${name}">`
          : `<script src="${path}/${name}"></script>`
      }
    )
    const page = yield* serveStatic(html, {
      contentType: "text/html; charset=utf-8",
      cacheControl: cacheControl.revalidated,
      headers: { "content-security-policy": docsPolicy }
    })
    const apps = new Map<string, StaticApp>()
    for (const [name, { content, contentType }] of files) {
      apps.set(name, yield* serveStatic(content, { contentType, cacheControl: cacheControl.forever }))
    }
    return { page, apps }
  })

/** The API, as clients outside reach it below BACKEND_API_URL. */
const publicApi = (publicUrl: URL) =>
  Effect.map(HttpApi.Api, ({ api, ...rest }): HttpApi.Api["Type"] => ({
    ...rest,
    api: basePathOf(publicUrl) === ""
      ? api
      : api.annotate(OpenApi.Servers, [{ url: publicUrl.origin + basePathOf(publicUrl) }])
  }))

/** A page whose viewer is loaded at the first request. */
const page = (publicUrl: URL, path: `/${string}`, viewer: Effect.Effect<Viewer>) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      const api = yield* publicApi(publicUrl)
      const address = basePathOf(publicUrl) + path
      const loaded = yield* Effect.cached(Effect.flatMap(viewer, (viewer) => load(address, viewer, api)))
      yield* router.get(path, Effect.flatMap(loaded, ({ page }) => page))
      yield* router.get(`${path}/:file`, serveFiles(Effect.map(loaded, ({ apps }) => apps)))
    })
  )

/** Without fonts, statistics and buttons of the viewer's maker, which would send the document to another server. */
const localViewer = { withDefaultFonts: false, showToolbar: "never", hideClientButton: true, telemetry: false }

const schema = (publicUrl: URL) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      const { api } = yield* publicApi(publicUrl)
      const loaded = yield* Effect.cached(Effect.suspend(() =>
        serveStatic(JSON.stringify(OpenApi.fromApi(api)), {
          contentType: "application/json",
          cacheControl: cacheControl.revalidated
        })
      ))
      yield* router.get("/openapi.json", Effect.flatten(loaded))
    })
  )

export const layer = (publicUrl: URL): Layer.Layer<never, never, HttpApi.Api> =>
  Layer.mergeAll(
    page(
      publicUrl,
      "/docs",
      Effect.map(
        Effect.promise(() => import("@effect/platform/HttpApiSwagger")),
        (swagger) => swagger.layer({ path: "/docs" })
      )
    ),
    page(
      publicUrl,
      "/redoc",
      Effect.map(
        Effect.promise(() => import("@effect/platform/HttpApiScalar")),
        (scalar) => scalar.layer({ path: "/redoc", scalar: localViewer })
      )
    ),
    schema(publicUrl)
  )
