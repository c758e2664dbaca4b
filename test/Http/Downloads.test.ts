import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { call, listed, refused } from "./calls.ts"
import { request } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"
import { onDisk } from "./uploads.ts"

const text = "0123456789"

/** A user with these files; yields their folder. */
const given = (owner: string, files: Readonly<Record<string, string>> = { "a.txt": text }) =>
  Effect.gen(function*() {
    const { files: root, query } = yield* Service
    yield* query("insert into users (id) values ($1)", [owner])
    const folder = join(root, owner)
    fs.mkdirSync(join(folder, "notes"), { recursive: true })
    for (const [name, content] of Object.entries(files)) fs.writeFileSync(join(folder, name), content)
    return folder
  })

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Service, ({ port }) => request(port, { path: `/files/${path}`, headers }))

layer(Layer.scoped(Service, startService()), { excludeTestServices: true })("A download", (it) => {
  it.effect("is the whole file as an attachment that no browser runs", () =>
    Effect.gen(function*() {
      yield* given("ann", { "notes/a.txt": text })
      for (const path of ["ann/notes/a.txt", "ann/notes%2Fa.txt", "ann/notes/./x/../a.txt"]) {
        const { headers, status, text: body } = yield* get(path)
        assert.deepStrictEqual([status, body], [200, text])
        assert.deepInclude(headers, {
          "content-type": "text/plain",
          "content-length": "10",
          "content-disposition": "attachment; filename=a.txt",
          "x-content-type-options": "nosniff",
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
          "cache-control": "private, no-cache",
          "accept-ranges": "bytes"
        })
      }
    }))

  it.effect("is the range asked for, or 416 with the size; a range of another version is the whole file", () =>
    Effect.gen(function*() {
      const folder = yield* given("bea")
      const ranged = (range: string, headers = {}) => get("bea/a.txt", { range, ...headers })
      for (
        const [range, part, bytes] of [
          ["bytes=0-3", "0123", "0-3"],
          ["bytes=4-", "456789", "4-9"],
          ["bytes=-2", "89", "8-9"],
          ["bytes=8-99", "89", "8-9"]
        ] as const
      ) {
        const answer = yield* ranged(range)
        assert.deepStrictEqual([answer.status, answer.text], [206, part])
        assert.strictEqual(answer.headers["content-range"], `bytes ${bytes}/10`)
        assert.strictEqual(answer.headers["content-length"], String(part.length))
      }
      for (const range of ["lines=1-2", "bytes", "bytes=0-1,4-5", "bytes=x-y"]) {
        assert.include([200, 416], (yield* ranged(range)).status, range)
      }
      const beyond = yield* call("GET", "/files/bea/a.txt", 416, undefined, { range: "bytes=10-" })
      assert.strictEqual(beyond.headers["content-range"], "bytes */10")
      const { headers: { etag = "" } } = yield* get("bea/a.txt")
      assert.strictEqual((yield* ranged("bytes=0-0", { "if-range": etag })).status, 206)
      fs.appendFileSync(join(folder, "a.txt"), "+")
      assert.strictEqual((yield* ranged("bytes=0-0", { "if-range": etag })).text, `${text}+`)
    }))

  it.effect("is not repeated to who has it, until it changes", () =>
    Effect.gen(function*() {
      const folder = yield* given("cleo", { "a.txt": text, new: text })
      const { headers: { etag = "", "last-modified": time = "" } } = yield* get("cleo/a.txt")
      const same = yield* get("cleo/a.txt", { "if-none-match": etag })
      assert.deepStrictEqual([same.status, same.text, same.headers["etag"]], [304, "", etag])
      assert.strictEqual((yield* get("cleo/a.txt", { "if-modified-since": time })).status, 304)
      fs.renameSync(join(folder, "new"), join(folder, "a.txt"))
      assert.strictEqual((yield* get("cleo/a.txt", { "if-none-match": etag })).status, 200)
    }))

  it.effect("has only its headers for HEAD, and is empty for an empty file", () =>
    Effect.gen(function*() {
      yield* given("dora", { "empty.md": "" })
      const empty = yield* get("dora/empty.md")
      assert.deepStrictEqual([empty.status, empty.text, empty.headers["content-length"]], [200, "", "0"])
      const before = fs.readdirSync("/proc/self/fd").length
      const head = yield* call("HEAD", "/files/dora/empty.md", 200)
      assert.strictEqual(head.headers["content-length"], "0")
      assert.isAtMost(fs.readdirSync("/proc/self/fd").length, before + 2)
    }))

  it.effect("encodes odd names in its header, and one name can't add a header", () =>
    Effect.gen(function*() {
      const names = {
        "日本.txt": "attachment; filename=\"??.txt\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt",
        "a\"b.txt": "attachment; filename=\"a\\\"b.txt\"",
        "a;b c.txt": "attachment; filename=\"a;b c.txt\"",
        "%41.txt": "attachment; filename=%41.txt; filename*=UTF-8''%2541.txt"
      }
      yield* given("eve", { ...names, "a\r\nset-cookie: x.txt": "x" })
      for (const [name, expected] of Object.entries(names)) {
        const { headers } = yield* call("GET", `/files/eve/${encodeURIComponent(name)}`, 200)
        assert.isTrue((headers["content-disposition"] ?? "").startsWith(expected), headers["content-disposition"])
      }
      const injected = yield* get("eve/a%0D%0Aset-cookie:%20x.txt")
      assert.strictEqual(injected.status, 400)
      assert.notProperty(injected.headers, "set-cookie")
    }))

  it.effect("never leaves the user's folder, however its path is encoded", () =>
    Effect.gen(function*() {
      const folder = yield* given("fay")
      yield* given("gil", { "secret.txt": "secret" })
      fs.symlinkSync(join(folder, "..", "gil", "secret.txt"), join(folder, "link.txt"))
      for (const wrong of ["../gil/secret.txt", "..%2fgil%2fsecret.txt", "%2e%2e/gil/secret.txt", "%2Fetc%2Fpasswd"]) {
        yield* refused("file-path-invalid", "GET", `/files/fay/${wrong}`, 400)
      }
      for (const wrong of ["link.txt", "notes", "nothing.txt", "%252e%252e"]) {
        yield* refused("file-not-found", "GET", `/files/fay/${wrong}`, 404)
      }
      for (const user of ["..", "%2e%2e", ".uploads", "a%2Fb", "-"]) {
        yield* call("GET", `/files/${user}/secret.txt`, 404)
      }
      yield* refused("invalid-request", "GET", "/files/fay/a%00.txt", 400)
    }))

  it.effect("is of a file that the list has, in pages that are linked, until it is deleted", () =>
    Effect.gen(function*() {
      yield* given("hal", { "b.txt": "x", "c c.txt": "x", "notes/a.txt": text })
      const found = yield* listed("/files/hal")
      assert.deepStrictEqual(found.map(({ path }) => path), ["b.txt", "c c.txt", "notes/a.txt"])
      assert.hasAllKeys(found[0], ["path", "filename", "size", "content_type", "modified_at"])
      yield* given("ida", {})
      assert.deepStrictEqual(yield* listed("/files/ida"), [])
      yield* refused("user-not-found", "GET", "/files/nobody", 404)
      yield* refused("invalid-request", "GET", "/files/hal?cursor=%20", 400)
      yield* call("DELETE", "/files/hal/notes/a.txt", 204)
      yield* refused("file-not-found", "DELETE", "/files/hal/notes/a.txt", 404)
      yield* refused("file-not-found", "DELETE", "/files/hal/notes", 404)
      yield* refused("file-path-invalid", "DELETE", "/files/hal/../bea/a.txt", 400)
      assert.deepStrictEqual(yield* onDisk("hal"), ["b.txt", "c c.txt"])
      const wrong = yield* call("PUT", "/files/hal/b.txt", 405)
      assert.strictEqual(wrong.headers["allow"], "GET, DELETE, HEAD, OPTIONS")
    }))
})
