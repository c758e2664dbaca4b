import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { BodyLimits } from "../../src/Http/Body.ts"
import { eventually } from "../support/Eventually.ts"
import { fileOf, filesServer, formOf, formType, maxUploadBytes, shortTimeouts } from "./FilesServer.ts"
import { connected, exchange, isProblem } from "./RawHttp.ts"
import { file, send, user } from "./uploads.ts"

const headOf = (length: number) =>
  `POST /upload-file HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\nContent-Length: ${length}\r\n\r\n`

describe("An upload", () => {
  it.scopedLive("of a file over MAX_UPLOAD_MB is 413, before and while it arrives; one of exactly that size is kept", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer()
      const connection = yield* connected(port)
      const over = fileOf("a.txt", "x".repeat(maxUploadBytes + 1))
      const path = "/upload-file"
      const headers = { "content-type": formType }
      isProblem(yield* exchange(connection, port, { method: "POST", path, headers, body: over }), 413, "too-large")
      const far = fileOf("a.txt", "x".repeat(3 * maxUploadBytes))
      isProblem(yield* exchange(connection, port, { method: "POST", path, headers, body: far }), 413, "too-large")
      const preamble = Buffer.concat([Buffer.alloc(2 * maxUploadBytes, "x"), Buffer.from("\r\n"), fileOf("a.txt")])
      connection.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\nTransfer-Encoding: chunked\r\n\r\n`
      )
      connection.write(`${preamble.length.toString(16)}\r\n`)
      connection.write(preamble)
      connection.write("\r\n0\r\n\r\n")
      const received = yield* connection.until((text) => text.split("/problems/too-large").length === 4)
      assert.strictEqual(received.split("HTTP/1.1 413").length, 4)
      assert.deepStrictEqual(onDisk(), [])
      assert.strictEqual((yield* send(port, fileOf("a.txt", "x".repeat(maxUploadBytes)))).status, 201)
    }))

  it.scopedLive("that is cut short ends in 400 and leaves nothing, and neither does one whose sender is gone", () =>
    Effect.gen(function*() {
      const { onDisk, port, root } = yield* filesServer()
      const body = fileOf("a.txt", "x".repeat(500_000))
      const half = yield* connected(port)
      half.write(headOf(body.length))
      half.write(body.subarray(0, 300_000))
      half.socket.end()
      assert.match(yield* half.closed, /^HTTP\/1\.1 400/)
      const gone = yield* connected(port)
      gone.write(headOf(body.length))
      gone.write(body.subarray(0, 300_000))
      const uploads = () => fs.readdirSync(join(root, ".uploads")).length
      yield* eventually(Effect.sync(uploads), (count) => count === 1)
      gone.socket.destroy()
      yield* eventually(Effect.sync(uploads), (count) => count === 0)
      assert.deepStrictEqual(onDisk(), [])
    }))

  it.scopedLive("that falls silent ends in 408 and leaves nothing", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer()
      const body = fileOf("a.txt", "x".repeat(500_000))
      for (const sent of [0, 60, 300_000]) {
        const { closed, write } = yield* connected(port)
        write(headOf(body.length))
        write(body.subarray(0, sent))
        assert.match(yield* closed, /^HTTP\/1\.1 408 [^]*No data arrived/)
      }
      assert.deepStrictEqual(onDisk(), [])
    }).pipe(Effect.provideService(BodyLimits, shortTimeouts)))

  it.scopedLive("beyond the quota is 413 with its own type; of two at its edge one is kept", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer({ quotaBytes: 1024 * 1024 })
      const big = (name: string) => formOf(user, { name: "file", filename: name, content: "x".repeat(700_000) })
      const answers = yield* Effect.all([send(port, big("a.txt")), send(port, big("b.txt"))], {
        concurrency: "unbounded"
      })
      const [kept, refused] = [...answers].sort((one, other) => one.status - other.status)
      assert.strictEqual(kept?.status, 201)
      if (refused !== undefined) isProblem(refused, 413, "quota-exceeded")
      assert.lengthOf(onDisk(), 1)
      isProblem(
        yield* send(port, formOf({ ...file, filename: "c.txt", content: "x".repeat(700_000) }, user)),
        413,
        "quota-exceeded"
      )
      assert.lengthOf(onDisk(), 1)
    }))

  it.scopedLive("without a user counts against the caller's quota before all of it has arrived", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer({ quotaBytes: 512 * 1024 })
      const body = fileOf("a.txt", "x".repeat(900_000))
      const { until, write } = yield* connected(port)
      write(headOf(body.length))
      write(body.subarray(0, 700_000))
      assert.match(yield* until((text) => text.includes("quota-exceeded")), /^HTTP\/1\.1 413/)
      assert.deepStrictEqual(onDisk(), [])
    }))

  it.scopedLive("beside eight others of the same caller is 429 with Retry-After, until one of them ends", () =>
    Effect.gen(function*() {
      const { port, root } = yield* filesServer()
      const body = fileOf("a.txt", "x".repeat(10_000))
      const open = yield* Effect.forEach(Array.from({ length: 8 }), () => connected(port))
      for (const { write } of open) {
        write(headOf(body.length))
        write(body.subarray(0, 5_000))
      }
      const uploads = Effect.sync(() =>
        fs.existsSync(join(root, ".uploads")) ? fs.readdirSync(join(root, ".uploads")) : []
      )
      const untilOpen = (count: number) => eventually(uploads, ({ length }) => length === count)
      yield* untilOpen(8)
      const refused = yield* send(port, fileOf("b.txt"))
      isProblem(refused, 429, "too-many-uploads")
      assert.strictEqual(refused.headers["retry-after"], "2")
      open[0]?.socket.destroy()
      yield* untilOpen(7)
      yield* eventually(send(port, fileOf("b.txt")), ({ status }) => status === 201)
    }))
})
