import { assert, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { audit } from "../support/Audit.ts"
import {
  allEnded,
  lineTasks,
  makeDeployment,
  makePorts,
  shortLeases,
  stepCount,
  submitAll
} from "../support/Deployment.ts"
import { makeLineModel } from "../support/LineModel.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const kills = 3

it.scopedLive("One process, killed again and again at any moment, ends every task once", () =>
  Effect.gen(function*() {
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const model = yield* makeLineModel({
      label: "one",
      latency: ({ name }, turn) => 20 + (name.length * 7 + turn * 13) % 30
    })
    const process = start("all", {
      ...deployment.environment,
      ...ports.environment,
      ...shortLeases,
      ...model.environment("responses"),
      // Each kill is a death of the process of whatever was at work.
      TASK_SUSPECT_PAUSE: 0.3
    })
    const first = yield* process
    const submitting = yield* Effect.fork(submitAll(taskClient(ports.http), lineTasks("killed", 24, 6)))

    let current = first
    for (let kill = 0; kill < kills; kill++) {
      const before = yield* stepCount(deployment.url)
      const more = yield* Random.nextIntBetween(20, 90)
      yield* until(`${more} steps more`, Effect.map(stepCount(deployment.url), (count) => count >= before + more))
      yield* Effect.sleep(yield* Random.nextIntBetween(0, 40))
      yield* current.signal("SIGKILL")
      yield* current.ended
      current = yield* process
    }
    const accepted = yield* submitting
    yield* allEnded(deployment.url, "60 seconds")

    const { recoveries } = yield* audit({ ...deployment, accepted, labels: { [ports.address]: model.label } })
    assert.isAbove(recoveries, 0, "the kills hit tasks at work")
  }).pipe(Effect.withRandom(Random.make("ring"))), 180_000)
