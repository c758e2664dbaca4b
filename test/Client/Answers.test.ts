import { assert, describe, it } from "@effect/vitest"
import { ConnectionFailed, createTroupe } from "@troupe/client"
import { Effect } from "effect"
import { afterEach, beforeEach, vi } from "vitest"
import { idOf, makeTask } from "../Http/Fakes.ts"
import { serve } from "../support/LocalServer.ts"

const failure = (promise: Promise<unknown>) => promise.then(() => null, (error: unknown) => error)

it.scopedLive("An answer that is cut is asked for again where that is safe, else fails as a lost connection", () =>
  Effect.gen(function*() {
    const task = makeTask(idOf(1))
    const asked: Array<string> = []
    const url = yield* serve((request, response) => {
      request.resume()
      const key = String(request.headers["idempotency-key"] ?? "")
      asked.push(`${request.method} ${key}`)
      const body = JSON.stringify(request.method === "GET" ? [task] : { task })
      response.writeHead(200, { "content-length": body.length })
      if (asked.length > 1) return void response.end(body)
      response.write(body.slice(0, 5), () => response.destroy())
    })
    const troupe = createTroupe({ url })
    const submitted = yield* Effect.promise(() => troupe.submit("m", { idempotencyKey: "k" }))
    assert.strictEqual(submitted.id, task.id)
    assert.deepStrictEqual(asked.splice(0), ["POST k", "POST k"])
    assert.lengthOf((yield* Effect.promise(() => troupe.list())).items, 1)
    assert.deepStrictEqual(asked.splice(0), ["GET ", "GET "])
    const lost = yield* Effect.promise(() => failure(troupe.cancel(task.id)))
    assert.instanceOf(lost, ConnectionFailed)
    assert.deepStrictEqual(asked, ["POST "])
  }))

/** A service that sends a byte of the file after each of these pauses, and what it was asked. */
const slow = (pauses: ReadonlyArray<number>, end: boolean) => {
  let calls = 0
  const fetch: typeof globalThis.fetch = async (_, { signal } = {}) => {
    calls += 1
    const body = new ReadableStream({
      start: async (output) => {
        signal?.addEventListener("abort", () => output.error(signal.reason))
        for (const pause of pauses) {
          await new Promise((resolve) => setTimeout(resolve, pause))
          output.enqueue(new Uint8Array(1))
        }
        if (end) output.close()
      }
    })
    return new Response(body)
  }
  return { troupe: createTroupe({ url: "http://127.0.0.1:1", user: "ann", fetch }), calls: () => calls }
}

describe("The time limit", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  it("is one of silence, so that a long download succeeds", async () => {
    const { calls, troupe } = slow([20_000, 20_000, 20_000], true)
    const file = troupe.files.download("a")
    await vi.advanceTimersByTimeAsync(60_000)
    assert.deepStrictEqual([(await file).size, calls()], [3, 1])
  })

  it("ends an answer that stays silent", async () => {
    const { calls, troupe } = slow([20_000], false)
    const failed = failure(troupe.files.download("a"))
    await vi.advanceTimersByTimeAsync(600_000)
    const error = await failed
    assert.instanceOf(error, ConnectionFailed)
    assert.include(error.message, "nothing arrived for 30 s")
    assert.strictEqual(calls(), 5)
  })

  it("grows with the size of an upload", async () => {
    const fetch: typeof globalThis.fetch = (_, { signal } = {}) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason))
        setTimeout(() => resolve(new Response("{}")), 40_000)
      })
    const { files } = createTroupe({ url: "http://127.0.0.1:1", fetch })
    const large = files.upload("large", new Uint8Array(2 ** 20))
    const small = failure(files.upload("small", "x"))
    await vi.advanceTimersByTimeAsync(40_000)
    assert.isEmpty(await large)
    assert.instanceOf(await small, ConnectionFailed)
  })
})
