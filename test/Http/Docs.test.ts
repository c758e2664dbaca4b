import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { isProblem, request } from "./RawHttp.ts"
import { onServer } from "./TestServer.ts"

const pages = ["/docs", "/redoc"]

const get = (port: number, path: string, headers: Readonly<Record<string, string>> = {}) =>
  request(port, { path, headers })

const bytes = (text: string) => Buffer.from(text, "latin1")

const fileIn = (path: string, page: string) => new RegExp(`src="(${path}/[A-Za-z0-9_-]+\\.js)"`).exec(page)?.[1] ?? ""

describe("The docs", () => {
  onServer("are small pages, whose files browsers keep for good", function*({ port }) {
    for (const path of pages) {
      const page = yield* get(port, path, { "accept-encoding": "gzip, deflate, br, zstd" })
      assert.deepInclude(page.headers, { "content-encoding": "br", "cache-control": "no-cache" })
      assert.isBelow(bytes(page.text).length, 50_000)
      const file = fileIn(path, brotliDecompressSync(bytes(page.text)).toString("utf8"))
      const script = yield* get(port, file, { "accept-encoding": "br" })
      assert.strictEqual(script.headers["cache-control"], "public, max-age=31536000, immutable")
      assert.strictEqual(script.headers["content-type"], "text/javascript; charset=utf-8")
      assert.isBelow(bytes(script.text).length, 900_000)
      isProblem(yield* get(port, `${path}/unknown.js`), 404, "not-found")
    }
  })

  onServer("have no button that sends the document to the viewer's maker", function*({ port }) {
    const page = yield* get(port, "/redoc")
    const files = Array.from(page.text.matchAll(/src="([^"]+)"/g), ([, path = ""]) => path)
    const scripts = yield* Effect.forEach(files, (path) => Effect.map(get(port, path), ({ text }) => text))
    const configured = scripts.find((script) => script.includes("dataset.configuration =") && script.length < 1000) ??
      ""
    const configuration = configured.slice(configured.indexOf("{"), configured.lastIndexOf("}") + 1)
    assert.deepInclude(JSON.parse(configuration), {
      showToolbar: "never",
      hideClientButton: true,
      telemetry: false,
      withDefaultFonts: false
    })
  })

  onServer("come in an encoding that the client accepts, with the same content in each", function*({ port }) {
    const plain = yield* get(port, "/docs")
    assert.notProperty(plain.headers, "content-encoding")
    assert.include(plain.headers["vary"], "Accept-Encoding")
    const cases = [
      ["gzip", "gzip"],
      ["GZIP;q=0.5, br;q=0", "gzip"],
      ["deflate, br", "br"],
      ["gzip;q=0, br;q=0.0", undefined],
      ["identity", undefined]
    ] as const
    for (const [accepted, encoding] of cases) {
      const answer = yield* get(port, "/docs", { "accept-encoding": accepted })
      assert.strictEqual(answer.headers["content-encoding"], encoding, accepted)
      const body = bytes(answer.text)
      const decoded = encoding === "gzip" ? gunzipSync(body) : encoding === "br" ? brotliDecompressSync(body) : body
      assert.isTrue(decoded.equals(bytes(plain.text)), accepted)
    }
  })

  onServer("are not sent again to a browser that has them", function*({ port }) {
    for (const path of [...pages, "/openapi.json"]) {
      const { headers: { etag = "" } } = yield* get(port, path)
      for (const tag of [etag, `"other", ${etag}`, etag.replace("W/", ""), "*"]) {
        const answer = yield* get(port, path, { "if-none-match": tag })
        assert.deepStrictEqual([answer.status, answer.text, answer.headers["etag"]], [304, "", etag])
      }
      assert.strictEqual((yield* get(port, path, { "if-none-match": "\"other\"" })).status, 200)
    }
  })
})
