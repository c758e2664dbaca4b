import { assert } from "@effect/vitest"
import type { WebhookReceipt } from "@troupe/domain/Webhook"
import { Effect } from "effect"
import { connect } from "node:net"
import { isProblem, request } from "../../Http/RawHttp.ts"
import { inWorld } from "../../support/TaskWorld.ts"
import { send, served, stored } from "./webhooks.ts"

inWorld("POST /webhook/{type}", (test) => {
  test("commits the bytes as they were sent, whatever their type, and answers with the id", function*() {
    const { port } = yield* served()
    const bodies: ReadonlyArray<readonly [string | Uint8Array, string]> = [
      ["{\"order\": 1}", "application/json"],
      ["From=%2B49&MessageSid=", "application/x-www-form-urlencoded"],
      [Uint8Array.from({ length: 256 }, (_, byte) => byte), "application/octet-stream"],
      ["[".repeat(100_000), "application/json"],
      ["\0", ""],
      ["", "text/plain"]
    ]
    for (const [body, type] of bodies) {
      const answer = yield* send(port, "orders", body, { "content-type": type })
      assert.strictEqual(answer.status, 200, answer.text)
      const receipt = answer.json as WebhookReceipt
      assert.deepStrictEqual({ ...receipt, message_id: "" }, {
        status: "received",
        message_id: "",
        webhook_type: "orders"
      })
      assert.match(receipt.message_id, /^[0-9a-f-]{36}$/)
    }
    const rows = yield* stored
    assert.deepStrictEqual(rows.map(({ body }) => body), bodies.map(([body]) => Buffer.from(body)))
    assert.deepStrictEqual(rows.map(({ content_type }) => content_type ?? ""), bodies.map(([, type]) => type))
  })

  test("accepts any name of up to 128 characters as a type", function*() {
    const { port } = yield* served()
    const names = ["health", "stats", "status", "deliveries", "Ünï cödé/x", "x".repeat(128), "..%2f", "team-chat"]
    for (const name of names) {
      assert.strictEqual((yield* send(port, encodeURIComponent(name), "{}")).status, 200, name)
    }
    assert.deepStrictEqual((yield* stored).map(({ type }) => type), names)
    for (const name of ["x".repeat(129), "%20"]) isProblem(yield* send(port, name, "{}"), 400, "invalid-request")
    isProblem(yield* request(port, { path: "/webhook/orders" }), 405, "method-not-allowed")
  })

  test("stores no secret, and the caller's address also behind a trusted proxy", function*() {
    const { port } = yield* served({}, { TRUSTED_PROXIES: "127.0.0.1" })
    const secret = ["authorization", "cookie", "proxy-authorization", "x-gitlab-token", "x-shared-secret", "x-api-key"]
    const plain = { "x-hub-signature-256": "sha256=0", "idempotency-key": "k" }
    yield* send(port, "orders?a=1&token=s3cret&api_key=x&sig=y?z&b", "{}", {
      ...Object.fromEntries(secret.map((name) => [name, "s3cret"])),
      ...plain,
      "x-forwarded-for": "203.0.113.7"
    })
    const [row] = yield* stored
    assert.deepInclude(JSON.parse(row?.headers ?? ""), {
      ...Object.fromEntries(secret.map((name) => [name, "[redacted]"])),
      ...plain
    })
    assert.strictEqual(row?.url, "/webhook/orders?a=1&token=[redacted]&api_key=[redacted]&sig=[redacted]&b")
    assert.strictEqual(row?.source_ip, "203.0.113.7")
  })

  test("refuses a larger body with 413, one that is cut short with 400, and keeps neither", function*() {
    const { port } = yield* served({ maxBodyBytes: 1000 })
    isProblem(yield* send(port, "orders", "x".repeat(1001)), 413, "too-large")
    assert.strictEqual((yield* send(port, "orders", "x".repeat(1000))).status, 200)
    yield* Effect.async<void>((resume) => {
      const socket = connect({ port, host: "127.0.0.1" }, () => {
        socket.end("POST /webhook/orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
      })
      socket.on("close", () => resume(Effect.void)).on("error", () => {}).resume()
    })
    assert.strictEqual((yield* stored).length, 1)
  })

  test("a page of another site can't send one to a service without a sign-in", function*() {
    const { port } = yield* served()
    isProblem(yield* send(port, "orders", "a=1", { origin: "https://evil.example" }), 403, "forbidden")
    assert.strictEqual((yield* stored).length, 0)
  })
})
