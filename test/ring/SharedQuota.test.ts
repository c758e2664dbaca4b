import { assert } from "@effect/vitest"
import { createTroupe, TroupeError } from "@troupe/client"
import { Effect } from "effect"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { start } from "../support/Processes.ts"
import { makeRing, makeSeat, processTest } from "../support/Ring.ts"

processTest("Two API processes with one storage accept one of two uploads at the edge of a quota", function*() {
  const ring = yield* makeRing()
  const seats = [yield* makeSeat, yield* makeSeat]
  const settings = { ...ring.environment, STORAGE_QUOTA_GB: "0.002" }
  yield* Effect.forEach(seats, (seat) => start("api", { ...settings, ...seat.environment }), {
    concurrency: "unbounded"
  })
  const both = (name: string, bytes: number) =>
    Effect.promise(() =>
      Promise.all(
        seats.map(({ port }, at) =>
          createTroupe({ url: `http://127.0.0.1:${port}` }).files.upload(`${name}-${at}.txt`, "x".repeat(bytes))
            .then(() => 201, (error: unknown) => error instanceof TroupeError ? error.status : error)
        )
      )
    )
  // Each of the processes knows the folder before the files that don't fit together.
  assert.deepStrictEqual(yield* both("small", 1_000), [201, 201])
  assert.sameMembers(yield* both("large", 1_500_000), [201, 413])
  assert.strictEqual(
    (yield* Effect.promise(() => readdir(join(ring.storage, "default")))).length,
    3
  )
})
