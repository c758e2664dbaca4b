import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { BodyLimits } from "../../src/Http/Body.ts"
import { eventually } from "../support/Eventually.ts"
import { fileOf, filesServer, formOf, formType, hasty, maxUploadBytes } from "./FilesServer.ts"
import { connected, exchange, isProblem, request } from "./RawHttp.ts"

const send = (port: number, body: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  request(port, { method: "POST", path: "/upload-file", headers: { "content-type": formType, ...headers }, body })

const headOf = (length: number) =>
  `POST /upload-file HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\nContent-Length: ${length}\r\n\r\n`

const user = { name: "user_id", value: "ann" }
const file = { name: "file", filename: "a.txt", content: "hello" }

describe("An upload", () => {
  it.scopedLive("answers 201 with the file, its address and the quota", () =>
    Effect.gen(function*() {
      const { onDisk, port, root } = yield* filesServer()
      const answer = yield* send(port, formOf(user, file))
      assert.strictEqual(answer.status, 201)
      assert.deepStrictEqual(answer.json, {
        user_id: "ann",
        filename: "a.txt",
        path: "a.txt",
        size: 5,
        content_type: "text/plain",
        quota: { used_bytes: 4096, limit_bytes: 64 * 1024 * 1024 }
      })
      assert.strictEqual(answer.headers["location"], "/files/ann/a.txt")
      assert.deepStrictEqual(onDisk(), ["ann/a.txt"])
      assert.strictEqual(fs.readFileSync(join(root, "ann", "a.txt"), "utf8"), "hello")
    }))

  it.scopedLive("may name its user after the file or not at all, and other fields are ignored", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer()
      const other = { name: "note", value: "x" }
      assert.strictEqual((yield* send(port, formOf(file, other, user))).status, 201)
      assert.strictEqual((yield* send(port, formOf({ ...file, name: "picture" }, file))).status, 201)
      assert.deepStrictEqual(onDisk(), ["ann/a.txt", "default/a.txt"])
    }))

  it.scopedLive("for a user who does not exist is 400, and leaves nothing", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer()
      const body = formOf({ name: "user_id", value: "nobody" }, file)
      const problem = isProblem(yield* send(port, body), 400, "upload-invalid")
      assert.deepStrictEqual(problem.errors, [{ path: "user_id", message: "there is no user nobody" }])
      assert.deepStrictEqual(onDisk(), [])
    }))

  it.scopedLive("keeps names in UTF-8, quotes and empty files", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer()
      for (const name of ["日本 語.txt", "re\u0301sume\u0301.md", "a%22b;c=d.txt", "x.tar.JSON"]) {
        assert.strictEqual((yield* send(port, fileOf(name, ""))).status, 201, name)
      }
      assert.deepStrictEqual(
        onDisk(),
        ["default/a\"b;c=d.txt", "default/r\u00e9sum\u00e9.md", "default/x.tar.JSON", "default/日本 語.txt"]
      )
    }))

  it.scopedLive("with a name that no file may have is 400, names the field and leaves nothing", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer()
      const names = [
        "",
        ".",
        "..",
        "../a.txt",
        "/etc/a.txt",
        "C:\\a.txt",
        "..\\a.txt",
        "a\0.txt",
        "a%0D%0Ab.txt",
        "nul.txt",
        "CON.md",
        "a.txt.",
        "a\u202Etxt.md",
        `${"x".repeat(252)}.txt`
      ]
      for (const name of names) {
        const answer = yield* send(port, fileOf(name))
        assert.strictEqual(answer.status, 400, name)
        const problem = answer.json as { errors?: ReadonlyArray<{ path: string }> }
        assert.isAtMost(problem.errors?.length ?? 0, 1)
      }
      assert.deepStrictEqual(onDisk(), [])
    }))

  it.scopedLive("with another extension or with the content of another kind is 415 and leaves nothing", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer()
      for (const name of ["a.exe", "a", "a.txt.html", "png"]) {
        isProblem(yield* send(port, fileOf(name)), 415, "file-type-refused")
      }
      const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
      for (
        const [name, content] of [
          ["a.png", "text"],
          ["a.jpg", png],
          ["a.txt", png],
          ["a.md", "%PDF-1.7"],
          ["a.csv", "a\0b"],
          ["a.pdf", ""],
          ["a.docx", "%PDF-1.7"]
        ] as const
      ) {
        isProblem(yield* send(port, fileOf(name, content)), 415, "file-type-refused")
      }
      assert.strictEqual((yield* send(port, fileOf("a.png", png))).status, 201)
      assert.deepStrictEqual(onDisk(), ["default/a.png"])
    }))

  it.scopedLive("without a file, with two, or for a user with an impossible id is 400", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer()
      const cases = [
        [formOf(user), "file"],
        [formOf(file, file), "file"],
        [formOf({ name: "file", value: "text" }), "file"],
        [formOf({ name: "user_id", value: "../bob" }, file), "user_id"],
        [formOf(file, { name: "user_id", value: "" }), "user_id"],
        [formOf(user, user, file), "user_id"]
      ] as const
      for (const [body, path] of cases) {
        const problem = isProblem(yield* send(port, body), 400, "upload-invalid")
        assert.deepStrictEqual(problem.errors?.map((error) => error.path), [path])
      }
      assert.deepStrictEqual(onDisk(), [])
    }))

  it.scopedLive("that is no form is 415, and a broken form 400", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* filesServer()
      for (const type of ["", "application/json", "text/plain", "multipart/mixed; boundary=x"]) {
        isProblem(yield* send(port, fileOf("a.txt"), { "content-type": type }), 415, "unsupported-media-type")
      }
      const encoded = { "content-encoding": "gzip" }
      isProblem(yield* send(port, fileOf("a.txt"), encoded), 415, "unsupported-media-type")
      for (const type of ["multipart/form-data", "multipart/form-data; boundary="]) {
        isProblem(yield* send(port, fileOf("a.txt"), { "content-type": type }), 400, "invalid-request")
      }
      const broken = [
        Buffer.from(""),
        Buffer.from("no boundary at all"),
        Buffer.from("--a-boundary\r\nno header\r\n\r\nx\r\n--a-boundary--\r\n"),
        Buffer.from("--a-boundary\r\nContent-Disposition: form-data; name=\"file\"; filename*=UTF-8''%E6%9\r\n\r\nx"),
        fileOf("a.txt").subarray(0, -20),
        fileOf("a.txt").subarray(0, 40),
        formOf({ name: "user_id", value: "x".repeat(5_000) }, file),
        formOf(...Array.from({ length: 40 }, () => ({ name: "n", value: "v" })))
      ]
      for (const body of broken) isProblem(yield* send(port, body), 400, "invalid-request")
      assert.deepStrictEqual(onDisk(), [])
    }))

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
        assert.match(yield* closed, /^HTTP\/1\.1 408 [^]*No data came/)
      }
      assert.deepStrictEqual(onDisk(), [])
    }).pipe(Effect.provideService(BodyLimits, hasty)))

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
