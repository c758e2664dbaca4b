import { assert, describe, it } from "@effect/vitest"
import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { filesServer, formOf, formType } from "./FilesServer.ts"
import { isProblem, request } from "./RawHttp.ts"

const text = "0123456789"

/** A service with one file of ann's: notes/a.txt. */
const serverFor = (caller: Caller) =>
  Effect.tap(filesServer({ caller }), ({ root }) =>
    Effect.sync(() => {
      fs.mkdirSync(join(root, "ann", "notes"), { recursive: true })
      fs.mkdirSync(join(root, "bob"))
      fs.writeFileSync(join(root, "ann", "notes", "a.txt"), text)
      fs.writeFileSync(join(root, "bob", "secret.txt"), "secret")
    }))

const server = serverFor(selfHostedCaller)

const path = "/files/ann/notes/a.txt"

describe("A download", () => {
  it.scopedLive("is the whole file as an attachment that no browser runs", () =>
    Effect.gen(function*() {
      const { port } = yield* server
      for (const same of [path, "/files/ann/notes%2Fa.txt", "/files/ann/notes/./x/../a.txt"]) {
        const { headers, status, text: body } = yield* request(port, { path: same })
        assert.deepStrictEqual([status, body], [200, text])
        assert.strictEqual(headers["content-type"], "text/plain")
        assert.strictEqual(headers["content-length"], "10")
        assert.strictEqual(headers["content-disposition"], "attachment; filename=a.txt")
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        assert.strictEqual(headers["content-security-policy"], "default-src 'none'; frame-ancestors 'none'; sandbox")
        assert.strictEqual(headers["cache-control"], "private, no-cache")
        assert.strictEqual(headers["accept-ranges"], "bytes")
      }
    }))

  it.scopedLive("is the range asked for, or 416 with the size; a range of another version is the whole file", () =>
    Effect.gen(function*() {
      const { port, root } = yield* server
      const get = (range: string, headers: Readonly<Record<string, string>> = {}) =>
        request(port, { path, headers: { range, ...headers } })
      for (
        const [range, part, bytes] of [
          ["bytes=0-3", "0123", "0-3"],
          ["bytes=4-", "456789", "4-9"],
          ["bytes=-2", "89", "8-9"],
          ["bytes=8-99", "89", "8-9"]
        ] as const
      ) {
        const answer = yield* get(range)
        assert.deepStrictEqual([answer.status, answer.text], [206, part])
        assert.strictEqual(answer.headers["content-range"], `bytes ${bytes}/10`)
        assert.strictEqual(answer.headers["content-length"], String(part.length))
      }
      for (const range of ["lines=1-2", "bytes", "bytes=0-1,4-5", "bytes=x-y"]) {
        const answer = yield* get(range)
        assert.include([200, 416], answer.status, range)
      }
      const beyond = yield* get("bytes=10-")
      isProblem(beyond, 416, "range-not-satisfiable")
      assert.strictEqual(beyond.headers["content-range"], "bytes */10")
      const { headers } = yield* request(port, { path })
      const etag = headers["etag"] ?? ""
      assert.strictEqual((yield* get("bytes=0-0", { "if-range": etag })).status, 206)
      fs.appendFileSync(join(root, "ann", "notes", "a.txt"), "+")
      assert.strictEqual((yield* get("bytes=0-0", { "if-range": etag })).text, `${text}+`)
    }))

  it.scopedLive("is not repeated to who has it, until it changes", () =>
    Effect.gen(function*() {
      const { port, root } = yield* server
      const { headers } = yield* request(port, { path })
      const validators = { "if-none-match": headers["etag"] ?? "" }
      const same = yield* request(port, { path, headers: validators })
      assert.deepStrictEqual([same.status, same.text, same.headers["etag"]], [304, "", headers["etag"]])
      const modified = { "if-modified-since": headers["last-modified"] ?? "" }
      assert.strictEqual((yield* request(port, { path, headers: modified })).status, 304)
      fs.writeFileSync(join(root, "ann", "notes", "new"), text)
      fs.renameSync(join(root, "ann", "notes", "new"), join(root, "ann", "notes", "a.txt"))
      assert.strictEqual((yield* request(port, { path, headers: validators })).status, 200)
    }))

  it.scopedLive("has only its headers for HEAD, and is empty for an empty file", () =>
    Effect.gen(function*() {
      const { port, root } = yield* server
      fs.writeFileSync(join(root, "ann", "empty.md"), "")
      const empty = yield* request(port, { path: "/files/ann/empty.md" })
      assert.deepStrictEqual([empty.status, empty.text, empty.headers["content-length"]], [200, "", "0"])
      const before = fs.readdirSync("/proc/self/fd").length
      const head = yield* request(port, { method: "HEAD", path: "/files/ann/empty.md" })
      assert.deepStrictEqual([head.status, head.headers["content-length"]], [200, "0"])
      assert.isAtMost(fs.readdirSync("/proc/self/fd").length, before + 2)
    }))

  it.scopedLive("encodes odd names in its header, and one name can't add a header", () =>
    Effect.gen(function*() {
      const { port, root } = yield* server
      const names = {
        "日本.txt": "attachment; filename=\"??.txt\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt",
        "a\"b.txt": "attachment; filename=\"a\\\"b.txt\"",
        "a;b c.txt": "attachment; filename=\"a;b c.txt\"",
        "%41.txt": "attachment; filename=%41.txt; filename*=UTF-8''%2541.txt"
      }
      for (const [name, expected] of Object.entries(names)) {
        fs.writeFileSync(join(root, "ann", name), "x")
        const { headers, status } = yield* request(port, { path: `/files/ann/${encodeURIComponent(name)}` })
        assert.strictEqual(status, 200, name)
        assert.isTrue((headers["content-disposition"] ?? "").startsWith(expected), headers["content-disposition"])
      }
      fs.writeFileSync(join(root, "ann", "a\r\nset-cookie: x.txt"), "x")
      const injected = yield* request(port, { path: "/files/ann/a%0D%0Aset-cookie:%20x.txt" })
      isProblem(injected, 400, "file-path-invalid")
      assert.notProperty(injected.headers, "set-cookie")
    }))

  it.scopedLive("never leaves the user's folder, and is only of regular files", () =>
    Effect.gen(function*() {
      const { port, root } = yield* server
      const home = join(root, "ann")
      fs.symlinkSync(join(root, "bob", "secret.txt"), join(home, "link.txt"))
      fs.symlinkSync("/etc", join(home, "etc"))
      fs.linkSync(join(root, "bob", "secret.txt"), join(home, "hard.txt"))
      for (const wrong of ["../bob/secret.txt", "..%2fbob%2fsecret.txt", "%2e%2e/bob/secret.txt", "%2Fetc%2Fpasswd"]) {
        isProblem(yield* request(port, { path: `/files/ann/${wrong}` }), 400, "file-path-invalid")
      }
      for (const wrong of ["link.txt", "etc/passwd", "hard.txt", "notes", "nothing.txt", "%252e%252e"]) {
        isProblem(yield* request(port, { path: `/files/ann/${wrong}` }), 404, "file-not-found")
      }
      for (const user of ["..", "%2e%2e", ".uploads", "a%2Fb", "-"]) {
        assert.strictEqual((yield* request(port, { path: `/files/${user}/secret.txt` })).status, 404)
      }
      isProblem(yield* request(port, { path: "/files/ann/a%00.txt" }), 400, "invalid-request")
    }))
})

describe("The files of a user over HTTP", () => {
  it.scopedLive("are listed by path, in pages that are linked", () =>
    Effect.gen(function*() {
      const { port, root } = yield* server
      for (const name of ["b.txt", "c c.txt", "z.txt"]) fs.writeFileSync(join(root, "ann", name), "x")
      const seen: Array<string> = []
      for (let url = "/files/ann?limit=3"; url !== "";) {
        const { headers, json, status } = yield* request(port, { path: url })
        assert.strictEqual(status, 200)
        seen.push(...(json as ReadonlyArray<{ path: string }>).map((file) => file.path))
        url = /^<(.*)>; rel="next"$/.exec(headers["link"] ?? "")?.[1] ?? ""
      }
      assert.deepStrictEqual(seen, ["b.txt", "c c.txt", "notes/a.txt", "z.txt"])
      const { json } = yield* request(port, { path: "/files/ann?limit=1" })
      assert.deepStrictEqual(Object.keys((json as ReadonlyArray<object>)[0] ?? {}), [
        "path",
        "filename",
        "size",
        "content_type",
        "modified_at"
      ])
      assert.deepStrictEqual((yield* request(port, { path: "/files/carol" })).json, [])
      isProblem(yield* request(port, { path: "/files/ann?cursor=%20" }), 400, "invalid-request")
    }))

  it.scopedLive("are deleted once", () =>
    Effect.gen(function*() {
      const { onDisk, port } = yield* server
      const remove = (wanted: string) => request(port, { method: "DELETE", path: wanted })
      assert.strictEqual((yield* remove(path)).status, 204)
      isProblem(yield* remove(path), 404, "file-not-found")
      isProblem(yield* remove("/files/ann/notes"), 404, "file-not-found")
      isProblem(yield* remove("/files/ann/../bob/secret.txt"), 400, "file-path-invalid")
      assert.deepStrictEqual(onDisk(), ["bob/secret.txt"])
      const wrong = yield* request(port, { method: "PUT", path })
      isProblem(wrong, 405, "method-not-allowed")
      assert.strictEqual(wrong.headers["allow"], "GET, DELETE, HEAD, OPTIONS")
    }))

  it.scopedLive("are those of the caller alone, unless that is an owner or admin", () =>
    Effect.gen(function*() {
      const ann = UserId.make("ann")
      const { onDisk, port } = yield* serverFor({ id: ann, role: "member" })
      const upload = (form: Buffer) =>
        request(port, { method: "POST", path: "/upload-file", headers: { "content-type": formType }, body: form })
      const file = { name: "file", filename: "new.txt", content: "x" }
      for (const user of ["bob", "default", "carol", ".."]) {
        for (const [method, wanted] of [["GET", ""], ["GET", "/secret.txt"], ["DELETE", "/secret.txt"]] as const) {
          isProblem(yield* request(port, { method, path: `/files/${user}${wanted}` }), 403, "forbidden")
        }
      }
      isProblem(yield* upload(formOf({ name: "user_id", value: "bob" }, file)), 403, "forbidden")
      isProblem(yield* upload(formOf(file, { name: "user_id", value: "bob" })), 403, "forbidden")
      assert.strictEqual((yield* upload(formOf(file))).status, 201)
      assert.strictEqual((yield* request(port, { path: "/files/ann/new.txt" })).text, "x")
      assert.deepStrictEqual(onDisk(), ["ann/new.txt", "ann/notes/a.txt", "bob/secret.txt"])
      const admin = yield* serverFor({ id: ann, role: "admin" })
      assert.strictEqual((yield* request(admin.port, { path: "/files/bob/secret.txt" })).text, "secret")
    }))
})
