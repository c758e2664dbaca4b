import { assert, describe } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { query } from "../support/Database.ts"
import { allEnded, haveShards, makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { makePgBouncer, pgBouncerNeed } from "../support/PgBouncer.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

/** An API and a worker whose pools go through a pooler with fewer connections than they have. */
const givenService = (hasDirectUrl: boolean) =>
  Effect.gen(function*() {
    const deployment = yield* makeDeployment()
    const pooler = yield* makePgBouncer(deployment.url, { connections: 6 })
    const environment = {
      ...deployment.environment,
      DATABASE_URL: Redacted.value(pooler),
      ...(hasDirectUrl ? { DATABASE_DIRECT_URL: Redacted.value(deployment.url) } : {})
    }
    const ports = yield* Effect.all([makePorts, makePorts])
    const [, worker] = yield* Effect.all([
      start("api", { ...environment, ...ports[0].environment }),
      start("worker", { ...environment, ...ports[1].environment })
    ], { concurrency: 2 })
    yield* haveShards(deployment.url, [ports[1].address])
    return { client: taskClient(ports[0].http), url: deployment.url, worker }
  })

const databaseHealth = Schema.decodeUnknown(
  Schema.Struct({
    checks: Schema.Struct({ database: Schema.Struct({ status: Schema.String, detail: Schema.String }) })
  })
)

/** Submits tasks, waits for their ends, and answers what the health report says of the database. */
const healthAfterTasks = ({ client, url }: Effect.Effect.Success<ReturnType<typeof givenService>>) =>
  Effect.gen(function*() {
    const keys = Array.from({ length: 24 }, (_, index) => `key-${index}`)
    yield* Effect.forEach(keys, (key) => client.submit(key, { message: "use list_directory {}" }), { concurrency: 8 })
    yield* allEnded(url, "40 seconds")
    const [row] = yield* query<{ completed: number }>(
      url,
      "select count(*)::integer as completed from actors where status = 'completed'"
    )
    assert.strictEqual(row?.completed, keys.length)
    return Effect.flatMap(
      client.send("GET", "/api/health"),
      ({ body }) => Effect.map(databaseHealth(body), ({ checks }) => checks.database)
    )
  })

describe.skipIf(pgBouncerNeed.isMissing)(pgBouncerNeed.named("Behind PgBouncer in transaction mode"), () => {
  processTest("tasks run, and with DATABASE_DIRECT_URL notifications arrive", function*() {
    const health = yield* healthAfterTasks(yield* givenService(true))
    const { detail, status } = yield* health
    assert.deepStrictEqual({ detail, status }, { status: "ok", detail: "PostgreSQL answers." })
  })

  processTest("tasks also run without it, and health and the workers' log say what to set", function*() {
    const service = yield* givenService(false)
    const health = yield* healthAfterTasks(service)
    yield* until("the API has noticed", Effect.map(health, ({ status }) => status === "degraded"))
    assert.include((yield* health).detail, "set DATABASE_DIRECT_URL")
    yield* until(
      "the worker has noticed",
      Effect.map(service.worker.stdout, (log) => log.includes("Notifications of the database do not arrive"))
    )
  })
})
