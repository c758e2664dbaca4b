import { assert, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { audit } from "../support/Audit.ts"
import { start, until } from "../support/Processes.ts"
import { allEnded, hasty, makeRing, makeSeat, scribings, stepCount, submitAll } from "../support/Ring.ts"
import { makeScribe } from "../support/Scribe.ts"
import { taskClient } from "../support/TaskClient.ts"

const kills = 5

it.scopedLive("One process, killed again and again at any moment, ends every task once", () =>
  Effect.gen(function*() {
    const ring = yield* makeRing()
    const seat = yield* makeSeat
    const scribe = yield* makeScribe({
      sign: "one",
      latency: ({ name }, turn) => 20 + (name.length * 7 + turn * 13) % 30
    })
    const process = start("all", {
      ...ring.environment,
      ...seat.environment,
      ...hasty,
      ...scribe.environment("responses"),
      // Each kill counts as a crash of whatever was at work.
      TASK_MAX_CRASHES: kills
    })
    const first = yield* process
    const submitting = yield* Effect.fork(submitAll(taskClient(seat.port), scribings("killed", 60, 6)))

    let current = first
    for (let kill = 0; kill < kills; kill++) {
      const before = yield* stepCount(ring.url)
      const more = yield* Random.nextIntBetween(20, 120)
      yield* until(`${more} steps more`, Effect.map(stepCount(ring.url), (count) => count >= before + more))
      yield* Effect.sleep(yield* Random.nextIntBetween(0, 40))
      yield* current.signal("SIGKILL")
      yield* current.ended
      current = yield* process
    }
    const accepted = yield* submitting
    yield* allEnded(ring.url, "60 seconds")

    const { recoveries } = yield* audit({ ...ring, accepted, signs: { [seat.address]: scribe.sign } })
    assert.isAbove(recoveries, 0, "the kills hit tasks at work")
  }).pipe(Effect.withRandom(Random.make("ring"))), 120_000)
