import { assert } from "@effect/vitest"
import { audit } from "../support/Audit.ts"
import { freshDatabase } from "../support/Database.ts"
import { start } from "../support/Processes.ts"
import { allEnded, makeRing, makeSeat, processTest, scribings, submitAll } from "../support/Ring.ts"
import { makeScribe } from "../support/Scribe.ts"
import { taskClient } from "../support/TaskClient.ts"
import { makeLossyLine } from "./LossyLine.ts"

processTest("What the database has committed counts once, though its answer was lost on the way", function*() {
  const line = yield* makeLossyLine(yield* freshDatabase)
  const ring = yield* makeRing(line.url)
  const seat = yield* makeSeat
  const scribe = yield* makeScribe({ sign: "one", latency: () => 20 })
  yield* start("all", { ...ring.environment, ...seat.environment, ...scribe.environment("responses") })
  const client = taskClient(seat.port)

  line.lose("tasks_insert", 3)
  line.lose("claims_take", 2)
  line.lose("journal_append", 5)
  const accepted = yield* submitAll(client, scribings("lost", 40, 6))
  yield* allEnded(ring.url, "60 seconds")

  assert.strictEqual(line.left(), 0, "each was lost as often as it was to be")
  yield* audit({ ...ring, accepted, signs: { [seat.address]: scribe.sign } })
})
