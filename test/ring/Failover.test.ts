import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { audit, steps } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
import { start, until } from "../support/Processes.ts"
import {
  allEnded,
  haveShards,
  makeRing,
  makeSeat,
  processTest,
  scribings,
  stepCount,
  submitAll
} from "../support/Ring.ts"
import { makeScribe } from "../support/Scribe.ts"
import { taskClient } from "../support/TaskClient.ts"

processTest(
  "The tasks of a killed worker move to the other within ten seconds, with the settings as they are",
  function*() {
    const ring = yield* makeRing()
    const door = yield* makeSeat
    const victimSeat = yield* makeSeat
    const heirSeat = yield* makeSeat
    // However long the tasks take to be submitted, the victim is at work on its own when it is killed.
    const victimScribe = yield* makeScribe({ sign: "victim", latency: (_, turn) => turn < 3 ? 300 : 600_000 })
    const heirScribe = yield* makeScribe({ sign: "heir", latency: () => 300 })
    const [, victim] = yield* Effect.all([
      start("api", { ...ring.environment, ...door.environment }),
      start("worker", { ...ring.environment, ...victimSeat.environment, ...victimScribe.environment("responses") }),
      start("worker", { ...ring.environment, ...heirSeat.environment, ...heirScribe.environment("chat") })
    ], { concurrency: "unbounded" })
    yield* haveShards(ring.url, [victimSeat.address, heirSeat.address])

    const accepted = yield* submitAll(taskClient(door.port), scribings("moved", 200, 4))
    yield* until("the tasks are well under way", Effect.map(stepCount(ring.url), (count) => count >= 700))
    yield* victim.signal("SIGKILL")
    yield* victim.ended
    const [killed] = yield* query<{ at: Date }>(ring.url, "select clock_timestamp() as at")
    const at = killed?.at.getTime() ?? 0
    const orphans = yield* query<{ id: string }>(
      ring.url,
      "select task_id as id from actors where runner = $1 and status = 'running' and wake_at is not null",
      [victimSeat.address]
    )
    assert.isAbove(orphans.length, 20, "the kill hit many tasks at work")
    yield* allEnded(ring.url, "60 seconds")

    const journal = yield* steps(ring.url)
    const delays = orphans.map(({ id }) => {
      const taken = journal.find((row) =>
        row.task_id === id && row.at.getTime() > at && row.body.kind === "woken"
        && row.body.runner === heirSeat.address
      )
      return taken === undefined ? Number.POSITIVE_INFINITY : taken.at.getTime() - at
    })
    assert.isAtMost(Math.max(...delays), 10_000, "milliseconds until the last of them moved again")
    yield* audit({
      ...ring,
      accepted,
      signs: { [victimSeat.address]: victimScribe.sign, [heirSeat.address]: heirScribe.sign }
    })
  }
)
