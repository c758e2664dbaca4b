import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { start } from "../support/Processes.ts"
import { makeRing, makeSeat } from "../support/Ring.ts"

const uploaded = (port: number, name: string, bytes: number) => {
  const form = new FormData()
  form.append("file", new Blob(["x".repeat(bytes)]), name)
  return HttpClientRequest.post(`http://127.0.0.1:${port}/upload-file`, { body: HttpBody.formData(form) }).pipe(
    HttpClient.execute,
    Effect.map(({ status }) => status),
    Effect.scoped,
    Effect.provide(NodeHttpClient.layerUndici)
  )
}

it.scopedLive(
  "Two API processes with one storage accept one of two uploads at the edge of a quota",
  () =>
    Effect.gen(function*() {
      const ring = yield* makeRing()
      const seats = [yield* makeSeat, yield* makeSeat]
      const settings = { ...ring.environment, STORAGE_QUOTA_GB: "0.002" }
      yield* Effect.forEach(seats, (seat) => start("api", { ...settings, ...seat.environment }), {
        concurrency: "unbounded"
      })
      const both = (name: string, bytes: number) =>
        Effect.forEach(seats, ({ port }, at) => uploaded(port, `${name}-${at}.txt`, bytes), {
          concurrency: "unbounded"
        })
      // Each of the processes knows the folder before the files that don't fit together.
      assert.deepStrictEqual(yield* both("small", 1_000), [201, 201])
      assert.sameMembers([...yield* both("large", 1_500_000)], [201, 413])
      assert.strictEqual((yield* Effect.promise(() => readdir(join(ring.storage, "default")))).length, 3)
    }),
  60_000
)
