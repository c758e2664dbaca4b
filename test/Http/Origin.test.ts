import { assert, describe } from "@effect/vitest"
import { isProblem, request } from "./RawHttp.ts"
import { onServer } from "./TestServer.ts"

const image = (site: string) => ({
  "sec-fetch-site": site,
  "sec-fetch-mode": "no-cors",
  "sec-fetch-dest": "image"
})
const link = (site: string, dest = "document") => ({
  "sec-fetch-site": site,
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": dest
})

const friend = "https://friend.example"

describe("A page of another origin", () => {
  onServer("can't make a self-hosted service work, even without an Origin", function*({ port }) {
    for (const path of ["/tasks", "/api/skills/x/similarity/y", "/health", "/docs"]) {
      for (const site of ["cross-site", "same-site"]) {
        isProblem(yield* request(port, { path, headers: image(site) }), 403, "forbidden")
      }
    }
    const otherPort = { ...image("same-site"), origin: "http://localhost:1" }
    isProblem(yield* request(port, { method: "POST", path: "/task/x/cancel", headers: otherPort }), 403, "forbidden")
    for (const headers of [image("same-origin"), link("none"), {}]) {
      assert.strictEqual((yield* request(port, { path: "/tasks", headers })).status, 200)
    }
  })

  onServer("may link to the pages for people, and frame none", function*({ port }) {
    for (const path of ["/", "/?from=mail", "/docs", "/redoc", "/openapi.json"]) {
      assert.strictEqual((yield* request(port, { path, headers: link("cross-site") })).status, 200, path)
      isProblem(yield* request(port, { path, headers: link("cross-site", "iframe") }), 403, "forbidden")
    }
    for (
      const path of ["/tasks", "/docs/../tasks", "/docs/x/y", "//docs", "/task/docs", "/console/../tasks", "/consoles"]
    ) {
      isProblem(yield* request(port, { path, headers: link("cross-site") }), 403, "forbidden")
    }
    const form = { method: "POST", path: "/docs", headers: link("cross-site") }
    isProblem(yield* request(port, form), 403, "forbidden")
  })

  onServer(
    "sends browsers back to the callback of a sign-in at a tool server, and to nothing beside it",
    function*({ port }) {
      const path = "/auth/mcp/callback?state=s&code=c"
      assert.notStrictEqual((yield* request(port, { path, headers: link("cross-site") })).status, 403)
      for (const headers of [image("cross-site"), link("cross-site", "iframe")]) {
        isProblem(yield* request(port, { path, headers }), 403, "forbidden")
      }
      for (const other of ["/auth/mcp/callback/x", "/auth/mcp/client.json", "/auth/mcp/callbacks"]) {
        isProblem(yield* request(port, { path: other, headers: link("cross-site") }), 403, "forbidden")
      }
    }
  )

  onServer("may call if CORS_ORIGINS names it, and only then read answers", function*({ port }) {
    const called = yield* request(port, { path: "/tasks", headers: { ...image("cross-site"), origin: friend } })
    assert.strictEqual(called.status, 200)
    assert.isUndefined(called.headers["cross-origin-resource-policy"])
    isProblem(yield* request(port, { path: "/tasks", headers: image("cross-site") }), 403, "forbidden")
    for (const path of ["/tasks", "/nothing", "/docs"]) {
      const { headers } = yield* request(port, { path })
      assert.strictEqual(headers["cross-origin-resource-policy"], "same-origin", path)
    }
  }, { CORS_ORIGINS: friend })
})
