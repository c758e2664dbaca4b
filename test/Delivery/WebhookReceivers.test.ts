import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { outboxRows } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask, request } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { answers, makeReceiver } from "../support/WebhookReceiver.ts"
import { delivering, subscribed } from "./webhooks.ts"

/** A task of a webhook with these headers. */
const givenWebhook = (headers: Readonly<Record<string, string>>) =>
  Effect.flatMap(Tasks, (tasks) =>
    tasks.submit(request("Process it", {
      source: {
        kind: "webhook",
        threads: [],
        toolAccess: "all",
        webhook: { type: "loop", payload: "{}", headers: JSON.stringify(headers), sourceIp: null }
      }
    })))

inWorld("Receivers of webhooks", (test) => {
  test("delay the next attempt by an hour at most, whatever they ask for", function*() {
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
      assert.deepStrictEqual([state, attempts, last_error], ["pending", 1, "The receiver responded with 503"])
    }
    const due = "due_at between now() + interval '50 minutes' and now() + interval '1 hour'"
    assert.strictEqual((yield* query(`select from outbox where ${due}`)).length, asked.length)
  })

  test("receive with each how many webhooks led to it, of which there are three at most", function*() {
    const receiver = yield* makeReceiver
    yield* subscribed(receiver.url, { events: ["task.created"] })
    for (const hops of ["", "many", "-7", "1", "2", "3", "400"]) yield* givenWebhook({ "troupe-hops": hops })
    yield* givenWebhook({})
    yield* delivering()
    yield* eventually(outboxRows, (rows) => rows.every(({ state }) => state === "sent" || state === "failed"))
    assert.deepStrictEqual(receiver.seen.map(({ headers }) => headers["troupe-hops"]).sort(), [
      "1",
      "1",
      "1",
      "1",
      "2",
      "3"
    ])
    for (const { last_error } of (yield* outboxRows).filter(({ state }) => state === "failed")) {
      assert.match(last_error ?? "", /^Not posted: 3 webhooks of Troupe in a row led to the task\./)
    }
  })
})
