import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, it } from "@effect/vitest"
import { Service } from "@troupe/cli/Service"
import { download } from "@troupe/cli/Transfers"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Fiber, Layer, Option } from "effect"
import * as fs from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { eventually } from "../support/Eventually.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { serve } from "../support/LocalServer.ts"

const half = Buffer.alloc(300_000, "x")

/** Downloads from a server that has sent one half of the file, and what it can do then. */
const halfway = Effect.gen(function*() {
  const folder = yield* freshFolder
  const target = join(folder, "a.txt")
  const answers: Array<ServerResponse> = []
  const url = yield* serve((request, response) => {
    assert.strictEqual(request.url, "/files/ann/notes%2Fa.txt")
    response.writeHead(200, { "content-length": 2 * half.length }).write(half)
    answers.push(response)
  })
  const layer = Layer.merge(Service.layer({ url, token: Option.none() }), NodeContext.layer)
  const downloading = yield* download(UserId.make("ann"), "notes/a.txt", target).pipe(
    Effect.provide(layer),
    Effect.either,
    Effect.fork
  )
  const sizes = Effect.sync(() => fs.readdirSync(folder).map((name) => fs.statSync(join(folder, name)).size))
  yield* eventually(sizes, (found) => found[0] === half.length)
  return { folder, target, answer: answers[0], result: Fiber.join(downloading) }
})

it.scopedLive("A download is on the disk while it arrives, and has its name once it is complete", () =>
  Effect.gen(function*() {
    const { answer, folder, result, target } = yield* halfway
    assert.isFalse(fs.existsSync(target))
    answer?.end(half)
    assert.strictEqual((yield* result)._tag, "Right")
    assert.deepStrictEqual(fs.readdirSync(folder), ["a.txt"])
    assert.strictEqual(fs.statSync(target).size, 2 * half.length)
  }))

it.scopedLive("A download that is cut off leaves nothing", () =>
  Effect.gen(function*() {
    const { answer, folder, result } = yield* halfway
    answer?.destroy()
    assert.deepInclude(yield* Effect.flatMap(result, Effect.flip), { reason: "unavailable" })
    assert.deepStrictEqual(fs.readdirSync(folder), [])
  }))

it.scopedLive("A download does not replace a file that was made meanwhile", () =>
  Effect.gen(function*() {
    const { answer, folder, result, target } = yield* halfway
    fs.writeFileSync(target, "mine")
    answer?.end(half)
    assert.deepInclude(yield* Effect.flatMap(result, Effect.flip), { reason: "usage" })
    assert.deepStrictEqual(fs.readdirSync(folder), ["a.txt"])
    assert.strictEqual(fs.readFileSync(target, "utf8"), "mine")
  }))

it.scopedLive("A download that the service refuses says why", () =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const url = yield* serve((_, response) => {
      response.writeHead(404, { "content-type": "application/problem+json" }).end(JSON.stringify({
        type: "/problems/file-not-found",
        title: "No such file",
        status: 404,
        detail: "There is no file.",
        instance: "1",
        facts: {}
      }))
    })
    const layer = Layer.merge(Service.layer({ url, token: Option.none() }), NodeContext.layer)
    const refused = download(UserId.make("ann"), "a.txt", join(folder, "a.txt")).pipe(Effect.provide(layer))
    assert.deepInclude(yield* Effect.flip(refused), { reason: "refused", message: "There is no file." })
    assert.deepStrictEqual(fs.readdirSync(folder), [])
  }))
