import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { query } from "../support/Database.ts"
import { makeDeployment, makePorts, shortLeases } from "../support/Deployment.ts"
import { freePort, start, until } from "../support/Processes.ts"

const burst = 150

const Receipt = Schema.Struct({ status: Schema.Literal("received"), message_id: Schema.String })

it.scopedLive(
  "The ingestor takes a burst while no worker runs, and each webhook becomes one task, although a worker is killed",
  () =>
    Effect.gen(function*() {
      const deployment = yield* makeDeployment()
      const port = yield* freePort
      // What becomes of the tasks is not looked at here: they leave the processors to the queue.
      const environment = { ...deployment.environment, ...shortLeases, MAX_ACTIVE_TASKS: 1 }
      yield* start("ingestor", { ...environment, INGESTOR_PORT: port })
      const http = yield* HttpClient.HttpClient
      const send = (index: number) =>
        HttpClientRequest.post(
          `http://127.0.0.1:${port}/webhook/${["orders", "code-host", "payments"][index % 3]}`
        ).pipe(
          HttpClientRequest.setHeader("webhook-id", `msg_${index}`),
          HttpClientRequest.bodyUnsafeJson({ index }),
          http.execute,
          Effect.tap(({ status }) => assert.strictEqual(status, 200)),
          Effect.flatMap(({ json }) => json),
          Effect.flatMap(Schema.decodeUnknown(Receipt)),
          Effect.map(({ message_id }) => message_id)
        )
      const indexes = Array.from({ length: burst }, (_, index) => index)
      const first = yield* Effect.forEach(indexes, send, { concurrency: 64 })
      assert.strictEqual(new Set(first).size, burst)
      const repeated = yield* Effect.forEach(indexes.slice(0, 50), send, { concurrency: 16 })
      assert.deepStrictEqual(repeated, first.slice(0, 50))

      const states = Effect.map(
        query<{ state: string; count: number }>(
          deployment.url,
          "select state, count(*)::integer as count from inbound_messages group by 1"
        ),
        (rows) => Object.fromEntries(rows.map(({ count, state }) => [state, count]))
      )
      assert.deepStrictEqual(yield* states, { pending: burst })

      const [killedWorker] = yield* Effect.all([
        Effect.flatMap(makePorts, (ports) => start("worker", { ...environment, ...ports.environment })),
        Effect.flatMap(makePorts, (ports) => start("worker", { ...environment, ...ports.environment }))
      ], { concurrency: "unbounded" })
      yield* until("some are tasks", Effect.map(states, ({ done = 0 }) => done > burst / 10), "120 seconds")
      yield* killedWorker.signal("SIGKILL")
      assert.isBelow((yield* states)["done"] ?? 0, burst, "the worker was killed in between")
      yield* until("all are tasks", Effect.map(states, ({ done = 0 }) => done === burst), "120 seconds")
      const [counts] = yield* query<{ tasks: number; payloads: number; linked: number }>(
        deployment.url,
        `select count(*)::integer as tasks, count(distinct t.webhook_payload)::integer as payloads,
  count(m.id)::integer as linked
from tasks t left join inbound_messages m on m.task_id = t.id`
      )
      assert.deepStrictEqual(counts, { tasks: burst, payloads: burst, linked: burst })
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  300_000
)
