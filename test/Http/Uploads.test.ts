import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileOf, filesServer, formOf } from "./FilesServer.ts"
import { isProblem } from "./RawHttp.ts"
import { file, send, user } from "./uploads.ts"

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
})
