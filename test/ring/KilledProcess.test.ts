import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Queue, Random } from "effect"
import { audit, steps } from "../support/Audit.ts"
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

const poison = { name: "poison", turns: 1 }

it.scopedLive(
  "A task that ends its process at every try fails with the reason, and those killed with it end once",
  () =>
    Effect.gen(function*() {
      const deployment = yield* makeDeployment()
      const ports = yield* makePorts
      const hanging = yield* Queue.unbounded<string>()
      let kills = 0
      const model = yield* makeLineModel({
        label: "one",
        latency: ({ name }, turn) => {
          if (name === poison.name || (name.startsWith("suspect") && kills < 2)) {
            hanging.unsafeOffer(name)
            return 60_000
          }
          // However long the tasks take to be submitted, the first kill hits them at work.
          return kills === 0 && turn > 3 ? 60_000 : 20 + (name.length * 7 + turn * 13) % 30
        }
      })
      const process = start("all", {
        ...deployment.environment,
        ...ports.environment,
        ...shortLeases,
        ...model.environment("responses"),
        TASK_MAX_CRASHES: 1,
        TASK_SUSPECT_PAUSE: 0.2
      })
      let current = yield* process
      const client = taskClient(ports.http)
      const suspects = lineTasks("suspect", 3, 1)
      const works = [poison, ...suspects, ...lineTasks("killed", 20, 6)]
      const submitting = yield* Effect.fork(submitAll(client, works))
      const more = yield* Random.nextIntBetween(20, 90)
      yield* until(`${more} steps`, Effect.map(stepCount(deployment.url), (count) => count >= more))

      const deaths = yield* Effect.gen(function*() {
        yield* Queue.takeN(hanging, kills < 2 ? 1 + suspects.length : 1)
        yield* Effect.sleep(yield* Random.nextIntBetween(0, 40))
        kills += 1
        yield* current.signal("SIGKILL")
        yield* current.ended
        current = yield* process
      }).pipe(Effect.forever, Effect.fork)
      const [poisonous, ...accepted] = yield* submitting
      yield* allEnded(deployment.url, "140 seconds")
      yield* Fiber.interrupt(deaths)

      const path = `/task/${poisonous?.id}`
      const { error, logs, status } = yield* client.find(poisonous?.id ?? "")
      assert.strictEqual(status, "failed")
      assert.match(
        error ?? "",
        /^The process that ran this task ended 2 times during this step while no other task was being recovered \(last noticed at 20/
      )
      const warnings = logs.filter(({ event, level }) => level === "warning" && event === "error")
      assert.match(
        warnings[0]?.message ?? "",
        /^The process that ran this task ended 2 times in a row during this step; attempt 3 starts at 20/
      )
      // The first call archives it, the second one deletes it.
      for (const _ of [1, 2]) assert.strictEqual((yield* client.send("DELETE", path)).status, 204)

      const { recoveries } = yield* audit({ ...deployment, accepted, labels: { [ports.address]: model.label } })
      assert.isAbove(recoveries, 2 * suspects.length, "the kills hit other tasks at work")
      const dead = (yield* steps(deployment.url)).filter(({ body }) => body.kind === "woken" && body.deaths === 2)
      const suspected = dead.map(({ task_id }) => accepted.find(({ id }) => id === task_id)?.name)
      assert.includeMembers(suspected, suspects.map(({ name }) => name), "two deaths fail nobody else")
    }).pipe(Effect.withRandom(Random.make("ring"))),
  200_000
)
