import { assert } from "@effect/vitest"
import { Context, Layer } from "effect"
import { withInbound } from "../../src/Http/HealthFindings.ts"
import { chatSource } from "../../src/Intake/Chat/ChatEvent.ts"
import { InboundBacklog } from "../../src/Intake/InboundBacklog.ts"
import { InboundSource } from "../../src/Intake/InboundMessage.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { accept } from "./intake.ts"

inWorld("InboundBacklog", (test) => {
  test("counts what failed and what is due for more than a minute, of each source", function*() {
    const { query } = yield* Wire
    const { counts } = Context.get(yield* Layer.build(InboundBacklog.layer), InboundBacklog)
    yield* accept({ type: "new" })
    assert.deepStrictEqual(yield* counts, [])
    yield* accept({ type: "late" })
    yield* accept({ type: "failed" })
    yield* accept({ type: "failed", source: chatSource })
    yield* accept({ type: "failed", source: InboundSource.make("sensors") })
    yield* query("update inbound_messages set due_at = now() - interval '2 minutes' where type = 'late'")
    yield* query(
      "update inbound_messages set state = 'failed', due_at = null, ended_at = now() where type = 'failed'"
    )
    const found = yield* counts
    assert.deepStrictEqual(found.map(({ failed, overdue, source }) => [source, overdue, failed]), [
      ["chat", 0, 1],
      ["sensors", 0, 1],
      ["webhook", 1, 1]
    ])
    const workers = withInbound((source) => source !== chatSource)({ status: "ok", detail: "1 worker." }, found)
    assert.strictEqual(workers.status, "degraded")
    assert.match(
      workers.detail,
      /^1 worker. 1 message of sensors failed: .* 1 webhook to process, the oldest due for 120 s: .* 1 webhook failed: GET/
    )
  })
})
