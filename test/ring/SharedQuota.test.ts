import { assert } from "@effect/vitest"
import { createTroupe, TroupeError } from "@troupe/client"
import { Effect } from "effect"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { start } from "../support/Processes.ts"

processTest("Two API processes with one storage accept one of two uploads at the edge of a quota", function*() {
  const deployment = yield* makeDeployment()
  const allPorts = [yield* makePorts, yield* makePorts]
  const settings = { ...deployment.environment, STORAGE_QUOTA_GB: "0.002" }
  yield* Effect.forEach(allPorts, (ports) => start("api", { ...settings, ...ports.environment }), {
    concurrency: "unbounded"
  })
  const both = (name: string, bytes: number) =>
    Effect.promise(() =>
      Promise.all(
        allPorts.map(({ http }, at) =>
          createTroupe({ url: `http://127.0.0.1:${http}` }).files.upload(`${name}-${at}.txt`, "x".repeat(bytes))
            .then(() => 201, (error: unknown) => error instanceof TroupeError ? error.status : error)
        )
      )
    )
  // Each of the processes knows the folder before the files that don't fit together.
  assert.deepStrictEqual(yield* both("small", 1_000), [201, 201])
  assert.sameMembers(yield* both("large", 1_500_000), [201, 413])
  assert.strictEqual(
    (yield* Effect.promise(() => readdir(join(deployment.storage, "default")))).length,
    3
  )
})
