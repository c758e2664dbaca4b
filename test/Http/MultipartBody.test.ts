import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { multipartParts } from "../../src/Http/MultipartBody.ts"
import { file, formOf, formType } from "./uploads.ts"

const pieceBytes = 64 * 1024
const fileBytes = 50 * 1024 * 1024

/** A request that makes its body only as it is read, and counts what it made. */
class CountingMessage extends IncomingMessage {
  made = 0
  readonly #form = formOf(file("a.txt", "#"))
  readonly #start = this.#form.indexOf("#")

  constructor() {
    super(new Socket())
    this.headers["content-type"] = formType
  }

  override _read() {
    if (this.made === 0) this.push(this.#form.subarray(0, this.#start))
    const left = fileBytes - this.made
    if (left === 0) {
      this.push(this.#form.subarray(this.#start + 1))
      this.push(null)
      return
    }
    const piece = Buffer.alloc(Math.min(pieceBytes, left), "x")
    this.made += piece.length
    this.push(piece)
  }
}

it.live("A file of 50 MB is never in memory: the form is read as it is consumed, but for a few pieces", () =>
  Effect.gen(function*() {
    const message = new CountingMessage()
    let taken = 0
    let inFlight = 0
    yield* Stream.runForEach(
      multipartParts(message, { idleMillis: 60_000, maxFileBytes: fileBytes }),
      (part) =>
        part._tag === "Field" ? Effect.void : Stream.runForEach(part.content, (bytes) =>
          // As a slow disk, which lets the sender go on meanwhile.
          Effect.async<void>((resume) => {
            setImmediate(() => {
              taken += bytes.length
              inFlight = Math.max(inFlight, message.made - taken)
              resume(Effect.void)
            })
          }))
    )
    assert.strictEqual(taken, fileBytes)
    assert.isAtMost(inFlight, 4 * pieceBytes)
  }))

it.effect("The name of a file in windows-1252 arrives whole, wherever the body is cut on its way", () =>
  Effect.gen(function*() {
    const body = Buffer.from(formOf(file("M#ller.txt")).toString("latin1").replace("#", "\xfc"), "latin1")
    for (let at = body.indexOf("M"); at < body.indexOf("hello"); at++) {
      const message = new IncomingMessage(new Socket())
      message.headers["content-type"] = formType
      for (const piece of [body.subarray(0, at), body.subarray(at), null]) message.push(piece)
      const names = multipartParts(message, { idleMillis: 60_000, maxFileBytes: fileBytes }).pipe(
        Stream.tap((part) => part._tag === "File" ? Stream.runDrain(part.content) : Effect.void),
        Stream.map((part) => part._tag === "File" ? part.name : part.key)
      )
      assert.deepStrictEqual([...(yield* Stream.runCollect(names))], ["Müller.txt"], `${at}`)
    }
  }))
