import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { audit, steps } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
import { start, until } from "../support/Processes.ts"
import {
  allEnded,
  hasty,
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
  "A worker that was frozen while another took its tasks writes nothing, and works again afterwards",
  function*() {
    const ring = yield* makeRing()
    const sleeperSeat = yield* makeSeat
    const heirSeat = yield* makeSeat
    let isFrozen = false
    // However long the tasks take to be submitted, the sleeper is at work on its own when it is frozen.
    const sleeperScribe = yield* makeScribe({
      sign: "sleeper",
      latency: (_, turn) => isFrozen || turn < 6 ? 250 : 600_000
    })
    const heirScribe = yield* makeScribe({ sign: "heir", latency: () => 250 })
    const settings = { ...ring.environment, ...hasty }
    const [sleeper] = yield* Effect.all([
      start("worker", { ...settings, ...sleeperSeat.environment, ...sleeperScribe.environment("chat") }),
      start("all", { ...settings, ...heirSeat.environment, ...heirScribe.environment("responses") })
    ], { concurrency: "unbounded" })
    const both = [sleeperSeat.address, heirSeat.address]
    yield* haveShards(ring.url, both)
    const client = taskClient(heirSeat.port)

    const before = yield* submitAll(client, scribings("before", 80, 8))
    yield* until("the tasks are well under way", Effect.map(stepCount(ring.url), (count) => count >= 300))
    isFrozen = true
    yield* sleeper.signal("SIGSTOP")
    const heldBySleeper = query<{ id: string }>(
      ring.url,
      "select task_id as id from actors where runner = $1 and status = 'running' and wake_at is not null",
      [sleeperSeat.address]
    )
    assert.isAbove((yield* heldBySleeper).length, 10, "many tasks froze with it")
    yield* until("the other has taken them all", Effect.map(heldBySleeper, (held) => held.length === 0))
    yield* sleeper.signal("SIGCONT")
    yield* allEnded(ring.url, "60 seconds")

    yield* haveShards(ring.url, both)
    const after = yield* submitAll(client, scribings("after", 40, 2))
    yield* allEnded(ring.url, "60 seconds")
    const runners = (yield* steps(ring.url)).flatMap(({ body, task_id }) =>
      body.kind === "woken" && after.some(({ id }) => id === task_id) ? [body.runner] : []
    )
    assert.includeMembers(runners, both, "both take part again")
    yield* audit({
      ...ring,
      accepted: [...before, ...after],
      signs: { [sleeperSeat.address]: sleeperScribe.sign, [heirSeat.address]: heirScribe.sign }
    })
  }
)
