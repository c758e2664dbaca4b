import { assert } from "@effect/vitest"
import { AgentName } from "@troupe/domain/Agent"
import { systemUser, type TaskId, UserId } from "@troupe/domain/Ids"
import { Duration, Effect, Layer } from "effect"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { Agents } from "../../../src/Agent/Definition/Agents.ts"
import { defaultOptions, InboundConsumer } from "../../../src/Intake/InboundConsumer.ts"
import { WebhookHandler } from "../../../src/Intake/Webhook/WebhookHandler.ts"
import { Tasks } from "../../../src/Task/UseCase/Tasks.ts"
import { eventually } from "../../support/Eventually.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { accept, rows } from "../intake.ts"

const handlerWith = (agents: ReadonlyMap<string, string>) =>
  Layer.build(
    WebhookHandler({ maxBodyBytes: 1_048_576, tasksPerMinute: 0, agents }).pipe(
      Layer.provide(InboundConsumer.layer({ ...defaultOptions, pollInterval: Duration.millis(100) }))
    )
  )

const startHandler = handlerWith(new Map())

/** The tasks of all messages, once they are made. */
const made = Effect.flatMap(
  eventually(rows, (all) => all.length > 0 && all.every(({ task_id }) => task_id !== null)),
  (all) => Effect.forEach(all, ({ task_id }) => Effect.flatMap(Tasks, (tasks) => tasks.find(task_id as TaskId)))
)

inWorld("WebhookHandler", (test) => {
  test("makes a task of the system user, with what arrived", function*() {
    const tasks = yield* Tasks
    yield* startHandler
    yield* accept({
      type: "payments",
      body: Buffer.from("{\"id\": \"evt_1\", \"type\": \"invoice.paid\", \"note\": \"\\u0000\"}"),
      headers: { "stripe-signature": "v1=1", authorization: "[redacted]" }
    })
    const [task] = yield* made
    assert.deepInclude(task, {
      title: "payments invoice.paid event (ID: evt_1)",
      description: "Process payments invoice.paid event (ID: evt_1)",
      creator: systemUser,
      assignee: systemUser,
      source: "webhook",
      webhook_type: "payments",
      webhook_payload: { id: "evt_1", type: "invoice.paid", note: "\0" },
      webhook_headers: { "stripe-signature": "v1=1", authorization: "[redacted]" },
      source_ip: "192.0.2.1",
      status: "pending"
    })
    const [first] = yield* tasks.messages(task?.id as TaskId)
    assert.include(JSON.stringify(first), "<webhook_payload>")
    const { query } = yield* Wire
    assert.deepStrictEqual(
      yield* query("select is_system from users where id = 'system'"),
      [{ is_system: true }]
    )
  })

  test("gives the task to the agent that has its type", function*() {
    const agents = yield* Agents
    yield* agents.create({
      name: AgentName.make("payer"),
      description: "Of a test.",
      instructions: "Do it.",
      webhooks: ["Payments"]
    })
    yield* startHandler
    yield* accept({ type: "payments" })
    const [task] = yield* made
    assert.strictEqual(task?.agent, "payer")
    yield* agents.remove("payer")
  })

  test("gives the task to the agent that is set for its type, or to none if that one is gone", function*() {
    const agents = yield* Agents
    const given = { description: "Of a test.", instructions: "Do it." }
    yield* agents.create({ name: AgentName.make("set"), ...given })
    yield* agents.create({ name: AgentName.make("claimant"), ...given, webhooks: ["door-bell"] })
    yield* handlerWith(new Map([["DOOR_BELL", "set"], ["LAMP", "gone"]]))
    yield* accept({ type: "door-bell" })
    yield* accept({ type: "lamp" })
    const tasks = yield* made
    assert.deepStrictEqual(tasks.map(({ agent, webhook_type }) => [webhook_type, agent]).toSorted(), [
      ["door-bell", "set"],
      ["lamp", null]
    ])
    yield* Effect.forEach(["set", "claimant"], agents.remove)
  })

  test("makes a task of the member who sent it, with all tools", function*() {
    yield* startHandler
    const creator = UserId.make("ann")
    yield* accept({ creator })
    const [task] = yield* made
    assert.deepInclude(task, { creator, assignee: creator, source: "webhook", webhook_type: "orders" })
    const { query } = yield* Wire
    assert.deepStrictEqual(yield* query("select tool_access from tasks"), [{ tool_access: "all" }])
  })

  test("gives the task of a sender whom nobody has verified tools that only read", function*() {
    yield* startHandler
    yield* accept({ type: "orders" })
    yield* accept({ type: "team-chat", isVerified: false })
    const messages = yield* Effect.forEach(
      yield* made,
      ({ id }) => Effect.flatMap(Tasks, (tasks) => tasks.messages(id))
    )
    assert.deepStrictEqual(
      messages.map(([first]) => /Anybody may have sent it/.test(JSON.stringify(first))),
      [false, true]
    )
    const { query } = yield* Wire
    assert.deepStrictEqual(
      yield* query("select webhook_type, tool_access from tasks order by 1"),
      [{ webhook_type: "orders", tool_access: "all" }, { webhook_type: "team-chat", tool_access: "read" }]
    )
  })

  test("decodes a compressed body; one that is damaged or too large is text as it arrived", function*() {
    yield* startHandler
    const bomb = gzipSync(Buffer.alloc(1_048_577))
    const bodies = [
      ["gzip", gzipSync("{\"a\": 1}")],
      ["X-GZIP", gzipSync("{\"a\": 1}")],
      ["br", brotliCompressSync("{\"a\": 1}")],
      ["gzip", Buffer.from("{\"a\": 1}")],
      ["gzip", bomb]
    ] as const
    for (const [encoding, body] of bodies) {
      yield* accept({ body, contentType: "application/json", headers: { "content-encoding": encoding } })
    }
    const payloads = (yield* made).map(({ webhook_payload }) => webhook_payload)
    assert.deepStrictEqual(payloads.slice(0, 4), [{ a: 1 }, { a: 1 }, { a: 1 }, { a: 1 }])
    assert.isBelow(JSON.stringify(payloads[4]).length, bomb.length * 6)
  })

  test("makes a task of any bytes and of any type", function*() {
    yield* startHandler
    const odd = ["{", "[".repeat(200_000), "\0\0", "\ud800", "{\"__proto__\": {\"a\": 1}}"]
    yield* Effect.forEach(odd, (body, index) => accept({ type: `\ud83d${index} é\n`, body: Buffer.from(body) }))
    yield* accept({ body: Uint8Array.from({ length: 256 }, (_, byte) => byte), contentType: "image/png" })
    const tasks = yield* made
    assert.strictEqual(tasks.length, 6)
    assert.deepStrictEqual(tasks[4]?.webhook_payload, JSON.parse("{\"__proto__\": {\"a\": 1}}"))
  })
})
