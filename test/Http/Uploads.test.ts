import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { BodyLimits } from "../../src/Http/Body.ts"
import { eventually } from "../support/Eventually.ts"
import { type Answer, connected, exchange, isProblem } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"
import { file, formOf, formType, maxUploadBytes, onDisk, upload, user } from "./uploads.ts"

/** Room for one file of the largest size. */
const quotaBytes = 1_073_742

const service = Layer.scoped(Service, startService({ STORAGE_QUOTA_GB: "0.001" }))

const headOf = (length: number) =>
  `POST /upload-file HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\nContent-Length: ${length}\r\n\r\n`

/** A connection on which the beginning of an upload was sent. */
const begun = (body: Uint8Array, sent: number) =>
  Effect.flatMap(Service, ({ port }) =>
    Effect.tap(connected(port), ({ write }) =>
      Effect.sync(() => {
        write(headOf(body.length))
        write(body.subarray(0, sent))
      })))

layer(service, { excludeTestServices: true })("An upload", (it) => {
  it.effect("answers 201 with the file, its address and the quota", () =>
    Effect.gen(function*() {
      const { files } = yield* Service
      const answer = yield* upload(formOf(user("ann"), file()))
      assert.strictEqual(answer.status, 201)
      assert.deepStrictEqual(answer.json, {
        user_id: "ann",
        filename: "a.txt",
        path: "a.txt",
        size: 5,
        content_type: "text/plain",
        quota: { used_bytes: 4096, limit_bytes: quotaBytes }
      })
      assert.strictEqual(answer.headers["location"], "/files/ann/a.txt")
      assert.deepStrictEqual(yield* onDisk("ann"), ["a.txt"])
      assert.strictEqual(fs.readFileSync(join(files, "ann", "a.txt"), "utf8"), "hello")
    }))

  it.effect("may name its user after the file or not at all, and other fields are ignored", () =>
    Effect.gen(function*() {
      const form = formOf(file(), { name: "note", value: "x" }, user("bea"))
      assert.strictEqual((yield* upload(form)).status, 201)
      assert.deepStrictEqual(yield* onDisk("bea"), ["a.txt"])
      assert.strictEqual((yield* upload(formOf({ ...file("b.txt"), name: "picture" }, file("c.txt")))).status, 201)
      assert.include(yield* onDisk("default"), "c.txt")
      assert.notInclude(yield* onDisk("default"), "b.txt")
    }))

  it.effect("keeps names in UTF-8, quotes and empty files", () =>
    Effect.gen(function*() {
      for (const name of ["日本 語.txt", "re\u0301sume\u0301.md", "a%22b;c=d.txt", "x.tar.JSON"]) {
        assert.strictEqual((yield* upload(formOf(user("cleo"), file(name, "")))).status, 201, name)
      }
      const names = ["a\"b;c=d.txt", "r\u00e9sum\u00e9.md", "x.tar.JSON", "日本 語.txt"]
      assert.deepStrictEqual(yield* onDisk("cleo"), names)
    }))

  it.effect("keeps a name in another encoding than UTF-8", () =>
    Effect.gen(function*() {
      const form = formOf(user("lea"), file("M#ller #.txt"))
      const body = Buffer.from(form.toString("latin1").replace("#", "\xfc").replace("#", "\x80"), "latin1")
      assert.strictEqual((yield* upload(body)).status, 201)
      assert.deepStrictEqual(yield* onDisk("lea"), ["Müller €.txt"])
    }))

  it.effect("is refused for a name that no file may have, and for content of another kind", () =>
    Effect.gen(function*() {
      const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
      // Which names these are is tested with FileName.
      for (const name of ["", "..", "../a.txt", "a\0.txt", "a%0D%0Ab.txt", "nul.txt"]) {
        assert.strictEqual((yield* upload(formOf(user("dora"), file(name)))).status, 400, name)
      }
      for (
        const [name, content] of [
          ["a.exe", "text"],
          ["a", "text"],
          ["a.txt.html", "text"],
          ["a.png", "text"],
          ["a.jpg", png],
          ["a.txt", png],
          ["a.md", "%PDF-1.7"],
          ["a.csv", "a\0b"],
          ["a.pdf", ""],
          ["a.docx", "%PDF-1.7"]
        ] as const
      ) {
        isProblem(yield* upload(formOf(user("dora"), file(name, content))), 415, "file-type-refused")
      }
      assert.strictEqual((yield* upload(formOf(user("dora"), file("a.png", png)))).status, 201)
      assert.deepStrictEqual(yield* onDisk("dora"), ["a.png"])
    }))

  it.effect("without a file, with two, or for a user with an impossible id is 400, as is a broken form", () =>
    Effect.gen(function*() {
      const eve = user("eve")
      const cases = [
        [formOf(eve), "file"],
        [formOf(eve, file(), file()), "file"],
        [formOf(eve, { name: "file", value: "text" }), "file"],
        [formOf(file("eve.txt"), user("")), "user_id"],
        [formOf(eve, eve, file()), "user_id"]
      ] as const
      for (const [body, path] of cases) {
        const problem = isProblem(yield* upload(body), 400, "upload-invalid")
        assert.deepStrictEqual(problem.errors?.map((error) => error.path), [path])
      }
      isProblem(yield* upload(formOf(user("../bob"), file())), 400, "person-unknown")
      const whole = formOf(eve, file())
      const broken = [
        Buffer.from(""),
        Buffer.from("no boundary at all"),
        Buffer.from("--a-boundary\r\nno header\r\n\r\nx\r\n--a-boundary--\r\n"),
        Buffer.from("--a-boundary\r\nContent-Disposition: form-data; name=\"file\"; filename*=UTF-8''%E6%9\r\n\r\nx"),
        whole.subarray(0, -20),
        whole.subarray(0, 40),
        formOf(user("x".repeat(5_000)), file()),
        formOf(eve, ...Array.from({ length: 40 }, () => ({ name: "n", value: "v" })))
      ]
      for (const body of broken) isProblem(yield* upload(body), 400, "invalid-request")
      assert.deepStrictEqual(yield* onDisk("eve"), [])
      assert.notInclude(yield* onDisk("default"), "eve.txt")
    }))

  it.effect("that is no form is 415", () =>
    Effect.gen(function*() {
      for (const type of ["", "application/json", "text/plain", "multipart/mixed; boundary=x"]) {
        isProblem(yield* upload(formOf(file()), { "content-type": type }), 415, "unsupported-media-type")
      }
      isProblem(yield* upload(formOf(file()), { "content-encoding": "gzip" }), 415, "unsupported-media-type")
      for (const type of ["multipart/form-data", "multipart/form-data; boundary="]) {
        isProblem(yield* upload(formOf(file()), { "content-type": type }), 400, "invalid-request")
      }
    }))

  it.scoped("of a file over MAX_UPLOAD_MB is 413, before and while it arrives; one of exactly that size is kept", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const connection = yield* connected(port)
      const path = "/upload-file"
      const headers = { "content-type": formType }
      const form = (bytes: number) => formOf(user("fay"), file("a.txt", "x".repeat(bytes)))
      for (const bytes of [maxUploadBytes + 1, 3 * maxUploadBytes]) {
        const answer = yield* exchange(connection, port, { method: "POST", path, headers, body: form(bytes) })
        isProblem(answer, 413, "too-large")
      }
      const preamble = Buffer.concat([Buffer.alloc(2 * maxUploadBytes, "x"), Buffer.from("\r\n"), form(1)])
      connection.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\nTransfer-Encoding: chunked\r\n\r\n`
      )
      connection.write(`${preamble.length.toString(16)}\r\n`)
      connection.write(preamble)
      connection.write("\r\n0\r\n\r\n")
      const received = yield* connection.until((text) => text.split("/problems/too-large").length === 4)
      assert.strictEqual(received.split("HTTP/1.1 413").length, 4)
      assert.deepStrictEqual(yield* onDisk("fay"), [])
      assert.strictEqual((yield* upload(form(maxUploadBytes))).status, 201)
    }))

  it.scoped("that is cut short ends in 400 and leaves nothing, and neither does one whose sender is gone", () =>
    Effect.gen(function*() {
      const body = formOf(user("gil"), file("a.txt", "x".repeat(500_000)))
      const half = yield* begun(body, 300_000)
      half.socket.end()
      assert.match(yield* half.closed, /^HTTP\/1\.1 400/)
      const gone = yield* begun(body, 300_000)
      yield* eventually(onDisk(), ({ length }) => length === 1)
      gone.socket.destroy()
      yield* eventually(onDisk(), ({ length }) => length === 0)
      assert.deepStrictEqual(yield* onDisk("gil"), [])
    }))

  it.scoped("beyond the quota is 413 with its own type; of two at its edge one is kept", () =>
    Effect.gen(function*() {
      const big = (name: string) => file(name, "x".repeat(700_000))
      const answers = yield* Effect.forEach(["a.txt", "b.txt"], (name) => upload(formOf(user("hal"), big(name))), {
        concurrency: "unbounded"
      })
      const isQuota = (answer: Answer) => isProblem(answer, 413, "quota-exceeded")
      const [kept, refused] = [...answers].sort((one, other) => one.status - other.status)
      assert.strictEqual(kept?.status, 201)
      if (refused !== undefined) isQuota(refused)
      isQuota(yield* upload(formOf(big("c.txt"), user("hal"))))
      assert.lengthOf(yield* onDisk("hal"), 1)
      // Without a user, it counts against the caller's quota before all of it has arrived.
      assert.strictEqual((yield* upload(formOf(big("d.txt")))).status, 201)
      const { until } = yield* begun(formOf(file("e.txt", "x".repeat(900_000))), 700_000)
      assert.match(yield* until((text) => text.includes("quota-exceeded")), /^HTTP\/1\.1 413/)
      assert.notInclude(yield* onDisk("default"), "e.txt")
    }))

  it.scoped("beside eight others of the same caller is 429 with Retry-After, until one of them ends", () =>
    Effect.gen(function*() {
      const body = formOf(user("ida"), file("a.txt", "x".repeat(10_000)))
      const open = yield* Effect.replicateEffect(begun(body, 5_000), 8)
      const untilOpen = (count: number) => eventually(onDisk(), ({ length }) => length === count)
      yield* untilOpen(8)
      const refused = yield* upload(formOf(user("ida"), file("b.txt")))
      isProblem(refused, 429, "too-many-uploads")
      assert.strictEqual(refused.headers["retry-after"], "2")
      open[0]?.socket.destroy()
      yield* untilOpen(7)
      yield* eventually(upload(formOf(user("ida"), file("b.txt"))), ({ status }) => status === 201)
    }))

  it.scoped("that falls silent ends in 408 and leaves nothing", () =>
    Effect.gen(function*() {
      const body = formOf(user("jo"), file("a.txt", "x".repeat(500_000)))
      for (const sent of [0, 60, 300_000]) {
        const { closed } = yield* begun(body, sent)
        assert.match(yield* closed, /^HTTP\/1\.1 408 [^]*No data arrived/)
      }
      assert.deepStrictEqual([...yield* onDisk("jo"), ...yield* onDisk()], [])
    }).pipe(
      Effect.provideServiceEffect(Service, startService()),
      Effect.provideService(BodyLimits, {
        jsonBytes: 1024 * 1024,
        idleMillis: 300,
        totalMillis: 60_000,
        discardBytes: 64 * 1024 * 1024
      })
    ))
})
