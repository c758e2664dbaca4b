import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Option, Queue, Random } from "effect"
import { audit } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
import { allEnded, lineTasks, makeDeployment, makePorts, shortLeases, submitAll } from "../support/Deployment.ts"
import { makeLineModel } from "../support/LineModel.ts"
import { start } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const endings = (count: number) => Array.from({ length: count }, () => "completed")

it.scopedLive(
  "A task that ends its process at every try fails with the reason, and those beside it complete",
  () =>
    Effect.gen(function*() {
      const deployment = yield* makeDeployment()
      const ports = yield* makePorts
      const poisonings = yield* Queue.unbounded<void>()
      const model = yield* makeLineModel({
        label: "one",
        latency: ({ name }) => {
          if (name !== "poison") return 200
          poisonings.unsafeOffer(undefined)
          return 30_000
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
      const deaths = yield* Queue.take(poisonings).pipe(
        Effect.zipRight(Effect.suspend(() => Effect.zipRight(current.signal("SIGKILL"), current.ended))),
        Effect.zipRight(process),
        Effect.tap((next) => Effect.sync(() => (current = next))),
        Effect.forever,
        Effect.fork
      )
      const client = taskClient(ports.http)
      const bystanders = yield* submitAll(client, lineTasks("bystander", 4, 2))
      const [poison] = yield* submitAll(client, [{ name: "poison", turns: 1 }])
      yield* allEnded(deployment.url, "140 seconds")
      yield* Fiber.interrupt(deaths)

      const ended = yield* query<{ status: string }>(
        deployment.url,
        "select status from actors where task_id = any($1)",
        [
          bystanders.map(({ id }) => id)
        ]
      )
      assert.deepStrictEqual(ended.map(({ status }) => status), endings(bystanders.length))
      const { error, logs, status } = yield* client.find(poison?.id ?? "")
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
    }),
  200_000
)

it.scopedLive("A storm of kills, at none of which a step gets done, fails no task", () =>
  Effect.gen(function*() {
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const requests = yield* Queue.sliding<void>(1)
    const model = yield* makeLineModel({
      label: "one",
      latency: () => {
        requests.unsafeOffer(undefined)
        return 400
      }
    })
    const process = start("all", {
      ...deployment.environment,
      ...ports.environment,
      ...shortLeases,
      ...model.environment("responses"),
      TASK_SUSPECT_PAUSE: 0.2
    })
    let current = yield* process
    const accepted = yield* submitAll(taskClient(ports.http), lineTasks("storm", 4, 1))
    for (let kill = 0; kill < 3; kill++) {
      // While all suspects wait for their time nothing is at work to be hit.
      yield* Effect.timeoutOption(Queue.take(requests), "5 seconds").pipe(
        Effect.flatMap((hit) => Option.isSome(hit) ? Random.nextIntBetween(50, 200) : Effect.succeed(0)),
        Effect.flatMap(Effect.sleep)
      )
      yield* current.signal("SIGKILL")
      yield* current.ended
      yield* Queue.takeAll(requests)
      current = yield* process
    }
    yield* allEnded(deployment.url, "100 seconds")
    const { recoveries } = yield* audit({ ...deployment, accepted, labels: { [ports.address]: model.label } })
    assert.isAbove(recoveries, accepted.length, "the kills made all of them suspects")
  }).pipe(Effect.withRandom(Random.make("storm"))), 180_000)
