import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Option, Redacted } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { makeFakes } from "../Http/Fakes.ts"
import { request } from "../Http/RawHttp.ts"
import { started } from "../Http/TestServer.ts"
import { send, served, stored } from "../Intake/Webhook/webhooks.ts"
import { dotEnv, start } from "../Runtime/settings.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { inWorld } from "../support/TaskWorld.ts"

describe("X-Forwarded-For", () => {
  it.scopedLive("with a port, or an IPv6 address in brackets, is of the caller whom it names without", () =>
    Effect.gen(function*() {
      const port = yield* started(makeFakes(), { TRUSTED_PROXIES: "127.0.0.1", RATE_LIMIT_PER_MINUTE: "2" })
      const left = (forwarded: string) =>
        Effect.map(
          request(port, { path: "/tasks", headers: { "x-forwarded-for": forwarded } }),
          ({ headers }) => /r=(\d+)/.exec(headers["ratelimit"] ?? "")?.[1]
        )
      assert.strictEqual(yield* left("203.0.113.7:51824"), "1")
      assert.strictEqual(yield* left("203.0.113.7:51825"), "0")
      assert.strictEqual(yield* left("[2001:db8::7]:443"), "1")
      assert.strictEqual(yield* left("\"[2001:DB8:0:0:0:0:0:7]\""), "0")
      assert.strictEqual(yield* left("203.0.113.8"), "1")
      assert.strictEqual(yield* left("nobody:knows"), "1")
    }))
})

inWorld("Standard Webhooks", (test) => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  test("under the names svix-* are verified, and a repeated one is the same delivery", function*() {
    const { port } = yield* served({
      secrets: new Map([["ORDERS", Redacted.make(secret)]]),
      schemes: new Map([["ORDERS", "standard"]])
    })
    const at = DateTime.toDate(yield* DateTime.now)
    const signed = (id: string) => ({
      "Svix-Id": id,
      "SVIX-TIMESTAMP": String(Math.floor(at.getTime() / 1000)),
      "svix-signature": new Webhook(secret).sign(id, at, "{}")
    })
    for (const headers of [signed("msg_1"), signed("msg_1"), { ...signed("msg_1"), "webhook-id": "msg_9" }]) {
      assert.strictEqual((yield* send(port, "orders", "{}", headers)).status, 200)
    }
    assert.lengthOf(yield* stored, 1)
    assert.strictEqual((yield* send(port, "orders", "{\"a\": 1}", signed("msg_2"))).status, 401)
  })
})

describe("BACKEND_API_URL with a path", () => {
  const origin = "https://apps.example.org"
  const base = "/troupe"

  /** The service with a console, and what a browser gets for an address behind a proxy that removes the path, or does not. */
  const behindProxy = (removes: boolean) =>
    Effect.gen(function*() {
      const folder = yield* freshFolder
      mkdirSync(join(folder, "assets"))
      writeFileSync(join(folder, "index.html"), "<script type=\"module\" src=\"./assets/main-1a2b.js\"></script>")
      writeFileSync(join(folder, "assets/main-1a2b.js"), "1")
      const port = yield* started(makeFakes(), { BACKEND_API_URL: `${origin}${base}/` }, undefined, folder)
      return (
        address: string,
        options: { readonly method?: string; readonly body?: string; readonly accept?: string } = {}
      ) => {
        const { pathname, search } = new URL(address, origin)
        assert.match(pathname, /^\/troupe(?:\/|$)/, `${address} is outside`)
        const path = removes ? pathname.slice(base.length) || "/" : pathname
        const { accept, ...rest } = options
        return request(port, {
          ...rest,
          path: path + search,
          headers: { host: "apps.example.org", ...(accept === undefined ? {} : { accept }) }
        })
      }
    })

  for (const removes of [true, false]) {
    const proxy = `behind a proxy that ${removes ? "removes" : "leaves"} it`

    it.scopedLive(`keeps the docs, their files and the servers of the document inside, ${proxy}`, () =>
      Effect.gen(function*() {
        const get = yield* behindProxy(removes)
        for (const page of ["/troupe/docs", "/troupe/redoc"]) {
          const { status, text } = yield* get(page)
          assert.strictEqual(status, 200)
          const files = Array.from(
            text.matchAll(/(?:src|href)="([^"#]+)"/g),
            ([, file = ""]) => new URL(file, origin + page)
          )
            .filter(({ protocol }) => protocol === "https:")
          assert.isNotEmpty(files)
          for (const file of files) assert.strictEqual((yield* get(file.href)).status, 200, file.href)
        }
        const { json } = yield* get("/troupe/openapi.json")
        assert.deepStrictEqual((json as { readonly servers: unknown }).servers, [{ url: origin + base }])
      }))

    it.scopedLive(`keeps Link, Location and redirects inside, ${proxy}`, () =>
      Effect.gen(function*() {
        const get = yield* behindProxy(removes)
        const made = yield* get("/troupe/chat", { method: "POST", body: "{\"message\": \"Hi\"}" })
        assert.strictEqual(made.status, 202, made.text)
        assert.match(made.headers["location"] ?? "", /^\/troupe\/task\/[\w-]+$/)
        assert.strictEqual((yield* get(made.headers["location"] ?? "")).status, 200)
        yield* get("/troupe/chat", { method: "POST", body: "{\"message\": \"Hi\"}" })
        const page = yield* get("/troupe/tasks?limit=1")
        const next = /^<([^>]+)>; rel="next"$/.exec(page.headers["link"] ?? "")?.[1] ?? ""
        assert.match(next, /^\/troupe\/tasks\?limit=1&cursor=/)
        assert.strictEqual((yield* get(next)).status, 200)
        for (const address of ["/troupe", "/troupe/", "/troupe/console"]) {
          const { headers, status } = yield* get(address, { accept: "text/html" })
          assert.strictEqual(status, 302)
          const target = new URL(headers["location"] ?? "", origin + address)
          assert.strictEqual(target.href, `${origin}/troupe/console/`)
          assert.strictEqual((yield* get(target.href)).status, 200)
        }
        const { json } = yield* get("/troupe/")
        assert.deepInclude(json as object, { docs: "/troupe/docs", console: "/troupe/console/" })
        for (const address of ["/troupe/console/tasks/x", "/troupe/console/"]) {
          const { text } = yield* get(address)
          const file = new URL(/src="([^"]+)"/.exec(text)?.[1] ?? "", origin + address)
          assert.strictEqual((yield* get(file.href)).status, 200)
        }
      }))
  }

  it.scopedLive("may begin as the paths of the API do", () =>
    Effect.gen(function*() {
      const port = yield* started(makeFakes(), { BACKEND_API_URL: "http://localhost/api" })
      for (const path of ["/api/version", "/api/api/version", "/api/openapi.json", "/openapi.json", "/api"]) {
        assert.strictEqual((yield* request(port, { path })).status, 200, path)
      }
      assert.strictEqual((yield* request(port, { path: "/apiary/openapi.json" })).status, 404)
    }))
})

describe("An .env", () => {
  const text =
    "\uFEFFPORT=7000\r\nexport SPECIALIZATION=\"Zoë’s cats\" # and dogs\r\nADDITIONAL_INSTRUCTIONS='a # in it'\r\n"
  const files: Readonly<Record<string, Uint8Array>> = {
    "UTF-8 with a byte order mark": Buffer.from(text),
    "UTF-8": Buffer.from(text.slice(1)),
    "UTF-16 as PowerShell writes it": Buffer.from(text, "utf16le"),
    "UTF-16 in the other order": Buffer.from(text, "utf16le").swap16(),
    "UTF-16 without a byte order mark": Buffer.from(text.slice(1), "utf16le"),
    "windows-1252": Buffer.from(text.slice(1).replace("’", "\u0092"), "latin1")
  }

  for (const [encoding, bytes] of Object.entries(files)) {
    it.effect(`in ${encoding} is read`, () =>
      Effect.gen(function*() {
        const { agent, http } = yield* start({}, dotEnv(bytes))
        assert.strictEqual(http.port, 7000)
        assert.strictEqual(agent.specialization, "Zoë’s cats")
        assert.strictEqual(Option.getOrNull(agent.additionalInstructions), "a # in it")
      }))
  }

  it.effect("that can't be read stops the start, which says so", () =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(Effect.asVoid(start({}, dotEnv(Buffer.from("PORT=7000\0")))))
      assert.include(message, ".env is \"a file with NUL characters\"; it must be a readable text in UTF-8 or UTF-16")
    }))
})
