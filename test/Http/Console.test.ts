import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { freshFolder } from "../support/FreshFolder.ts"
import { makeFakes } from "./Fakes.ts"
import { isProblem, request } from "./RawHttp.ts"
import { started } from "./TestServer.ts"

const script = "console.log(\"console\")".repeat(50)

/** The port of a service with a console of one page and one script. */
class Port extends Context.Tag("troupe/test/Http/Console.test/Port")<Port, number>() {}

const served = Effect.gen(function*() {
  const folder = yield* freshFolder
  mkdirSync(join(folder, "assets"))
  writeFileSync(join(folder, "index.html"), "<script type=\"module\" src=\"./assets/main-1a2b.js\"></script>")
  writeFileSync(join(folder, "assets/main-1a2b.js"), script)
  writeFileSync(join(folder, "assets/main-1a2b.js.map"), "{}")
  writeFileSync(join(folder, "assets/icon-1a2b.svg"), "<svg/>")
  return yield* started(makeFakes(), {}, undefined, folder)
})

layer(Layer.scoped(Port, Effect.orDie(served)), { excludeTestServices: true })("The console's files", (it) => {
  it.effect("are a page for every address, whose links lead to the same files from each", () =>
    Effect.gen(function*() {
      const port = yield* Port
      const scripts = {
        "/console/": "./assets/",
        "/console/tasks": "./assets/",
        "/console/tasks?q=/a/b/c": "./assets/",
        "/console/tasks/": "../assets/",
        "/console/tasks/x": "../assets/",
        "/console/tasks/x/steps": "../../assets/"
      }
      for (const [path, assets] of Object.entries(scripts)) {
        const page = yield* request(port, { path })
        assert.strictEqual(page.text, `<script type="module" src="${assets}main-1a2b.js"></script>`, path)
        assert.deepInclude(page.headers, { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" })
      }
      const bare = yield* request(port, { path: "/console" })
      assert.deepStrictEqual([bare.status, bare.headers["location"]], [302, "console/"])
      isProblem(yield* request(port, { path: "/console/a/b/c/d/e" }), 404, "not-found")
    }))

  it.effect("are an icon also for pages that name none", () =>
    Effect.gen(function*() {
      const icon = yield* request(yield* Port, { path: "/favicon.ico" })
      assert.deepStrictEqual([icon.status, icon.headers["content-type"], icon.text], [200, "image/svg+xml", "<svg/>"])
    }))

  it.effect("are compressed, and browsers keep those with a hash in their names for good", () =>
    Effect.gen(function*() {
      const port = yield* Port
      const file = yield* request(port, { path: "/console/assets/main-1a2b.js", headers: { "accept-encoding": "br" } })
      assert.deepInclude(file.headers, {
        "content-type": "text/javascript; charset=utf-8",
        "content-encoding": "br",
        "cache-control": "public, max-age=31536000, immutable"
      })
      assert.strictEqual(brotliDecompressSync(Buffer.from(file.text, "latin1")).toString(), script)
      for (const name of ["main-1a2b.js.map", "other.js", "..%2findex.html"]) {
        isProblem(yield* request(port, { path: `/console/assets/${name}` }), 404, "not-found")
      }
    }))

  it.effect("may load scripts and styles of this service only, and are found by browsers at /", () =>
    Effect.gen(function*() {
      const port = yield* Port
      const { headers: { "content-security-policy": policy = "" } } = yield* request(port, { path: "/console/" })
      assert.include(policy, "default-src 'none'; script-src 'self'; style-src 'self';")
      assert.notMatch(policy, /unsafe|\*|http/)
      const root = yield* request(port, { path: "/", headers: { accept: "text/html" } })
      assert.deepStrictEqual([root.status, root.headers["location"]], [302, "console/"])
      const json = yield* request(port, { path: "/" })
      assert.deepInclude(JSON.parse(json.text), { docs: "/docs", console: "/console/" })
      const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
      for (const path of ["/console/", "/console/tasks/x?y=1"]) {
        assert.strictEqual((yield* request(port, { path, headers: link })).status, 200, path)
      }
    }))
})
