import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, type Layer } from "effect"
import { access, readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { projectFolder } from "../Runtime/ProjectFolder.ts"
import { nothingHere } from "./ProblemResponse.ts"
import { consolePolicy } from "./SecurityHeaders.ts"
import { cacheControl, serveFiles, serveStatic, type StaticApp } from "./StaticContent.ts"

const folder = fileURLToPath(new URL("packages/console/dist", projectFolder))

/** The folder of the console's files; null where the console was not built. */
export const builtFolder: Effect.Effect<string | null> = Effect.promise(() =>
  access(join(folder, "index.html")).then(() => folder, () => null)
)

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml"
}

/** Screens are at most this deep below /console/. */
const maxDepth = 4

/** The files whose names have their hash; browsers keep them for good. */
const loadAssets = (folder: string) =>
  Effect.gen(function*() {
    const assets = new Map<string, StaticApp>()
    for (const name of yield* Effect.promise(() => readdir(join(folder, "assets")))) {
      const contentType = contentTypes[extname(name)]
      if (contentType === undefined) continue
      const content = yield* Effect.promise(() => readFile(join(folder, "assets", name)))
      assets.set(name, yield* serveStatic(content, { contentType, cacheControl: cacheControl.forever }))
    }
    return assets
  })

/** The console's icon, which browsers request for every page of the service that names none. */
const loadIcon = (folder: string) =>
  Effect.gen(function*() {
    const names = yield* Effect.promise(() => readdir(join(folder, "assets")))
    const name = names.find((one) => /^icon-.*\.svg$/.test(one))
    if (name === undefined) return null
    const content = yield* Effect.promise(() => readFile(join(folder, "assets", name)))
    return yield* serveStatic(content, { contentType: "image/svg+xml", cacheControl: cacheControl.revalidated })
  })

/** The page for each depth of an address. Its links are relative, because a proxy may serve it under another path. */
const loadPages = (folder: string) =>
  Effect.gen(function*() {
    const html = yield* Effect.promise(() => readFile(join(folder, "index.html"), "utf8"))
    return yield* Effect.forEach(Array.from({ length: maxDepth }, (_, depth) => "../".repeat(depth) || "./"), (up) =>
      serveStatic(html.replaceAll("\"./assets/", `"${up}assets/`), {
        contentType: "text/html; charset=utf-8",
        cacheControl: cacheControl.revalidated,
        headers: { "content-security-policy": consolePolicy }
      }))
  })

const depthOf = (url: string) => (url.split("?")[0]?.split("/").length ?? 0) - 3

/** The web console: every address below /console/ is one page, whose script shows the screen. */
export const layer = (folder: string): Layer.Layer<never> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      const assets = yield* Effect.cached(loadAssets(folder))
      const pages = yield* Effect.cached(loadPages(folder))
      const icon = yield* Effect.cached(loadIcon(folder))
      const page = Effect.flatMap(Effect.zip(pages, HttpServerRequest.HttpServerRequest), ([pages, { url }]) => {
        const depth = depthOf(url)
        return depth < 0
          ? Effect.succeed(HttpServerResponse.redirect("console/"))
          : pages[depth] ?? Effect.die(nothingHere)
      })
      // The first also matches with a slash at its end.
      yield* router.get("/console", page)
      yield* router.get("/console/*", page)
      yield* router.get("/favicon.ico", Effect.flatMap(icon, (found) => found ?? Effect.die(nothingHere)))
      yield* router.get("/console/assets/:file", serveFiles(assets))
    })
  )
