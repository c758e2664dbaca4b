import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { outboxRows } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"

import { inWorld, Wire } from "../support/TaskWorld.ts"
import { answers, makeReceiver } from "../support/WebhookReceiver.ts"
import { delivering, subscribed } from "./webhooks.ts"

inWorld("Receivers of webhooks", (test) => {
  test(
    "delay the next attempt by an hour at most, whatever they ask for",
    Effect.gen(function*() {
      const { query } = yield* Wire
      const asked = ["400000000", "99999999999999999999", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"]
      for (const after of asked) {
        const receiver = yield* makeReceiver
        receiver.misbehave(answers(503, { "retry-after": after }))
        yield* subscribed(receiver.url, { events: ["task.created"] })
      }
      yield* givenTask()
      yield* delivering()
      yield* eventually(outboxRows, (rows) => rows.every(({ last_error }) => last_error !== null))
      for (const { attempts, last_error, state } of yield* outboxRows) {
        assert.deepStrictEqual([state, attempts, last_error], ["pending", 1, "The receiver answered 503"])
      }
      const due = "next_attempt_at between now() + interval '50 minutes' and now() + interval '1 hour'"
      assert.strictEqual((yield* query(`select from outbox where ${due}`)).length, asked.length)
    })
  )
})
