import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import type { Rule } from "@troupe/domain/Policy"
import type { TaskSourceKind, ToolAccess } from "@troupe/domain/Task"
import { Effect } from "effect"
import { Policies } from "../../src/Policy/Policies.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { alice, request } from "../support/GivenTasks.ts"
import { asks, call } from "../support/ScriptedModel.ts"
import { becomes } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { cast, childrenOf, dispatch, resultsOf, tools } from "./subtasks.ts"

const note = { ...fakeTool("note", Effect.succeed("noted")), forSubagents: ["general" as const] }

const denying = (when: Rule["when"] & object) => Policies.layerOf({ rules: [{ effect: "deny", tool: "note", when }] })

/** What a call of such a request comes to where rules deny it to guests. */
const noteOf = Effect.fnUntraced(function*(creator: string, kind: TaskSourceKind, toolAccess: ToolAccess) {
  const tasks = yield* Tasks
  const scripted = cast({ Note: [asks(call("n", "note"))] })
  const worker = yield* startWorker({ scripted, tools: [note], policies: denying({ requester: "guest" }) })
  const { id } = yield* tasks.submit(
    request("Note it", { user_id: UserId.make(creator), source: { kind, toolAccess } })
  )
  yield* becomes(id, "completed")
  yield* worker.stop
  return (yield* resultsOf(id)).some((result) => result.startsWith("Error:")) ? "denied" : "allowed"
})

inWorld("A rule about guests", (test) => {
  test("holds for what guests write, forward and mail, and not for what a member forwards in the chat", function*() {
    const { query } = yield* Wire
    yield* query("insert into users (id, name, is_guest) values ('guest', 'Guest', true) on conflict (id) do nothing")
    assert.strictEqual(yield* noteOf(alice, "chat", "all"), "allowed")
    assert.strictEqual(yield* noteOf(alice, "chat", "read"), "allowed")
    assert.strictEqual(yield* noteOf(alice, "email", "read"), "allowed")
    assert.strictEqual(yield* noteOf("guest", "chat", "all"), "denied")
    assert.strictEqual(yield* noteOf("guest", "chat", "read"), "denied")
    assert.strictEqual(yield* noteOf("guest", "email", "own"), "denied")
  })
})

inWorld("A subtask", (test) => {
  test("has no more tools than the task that dispatches it", function*() {
    const tasks = yield* Tasks
    const scripted = cast({
      Plan: [asks(dispatch("d", "Part one"))],
      "Part one": [asks(call("s", "send"), call("n", "note"))]
    })
    const send = {
      ...fakeTool("send", Effect.succeed("sent"), { effect: "outside" }),
      forSubagents: ["general" as const]
    }
    // As if a tool that only reads could dispatch.
    const dispatching = tools.map((tool) => ({ ...tool, changes: "nothing" as const }))
    yield* startWorker({ scripted, tools: [...dispatching, note, send] })
    const { id } = yield* tasks.submit(request("Plan it", { source: { kind: "chat", toolAccess: "read" } }))
    yield* becomes(id, "completed")
    const [child] = yield* childrenOf(id)
    const results = yield* resultsOf(child?.id ?? id)
    assert.match(results[0] ?? "", /^Error: there is no tool "send"/)
    assert.strictEqual(results[1], "noted")
  })

  test("obeys the rules about the source of the request that it works for", function*() {
    const tasks = yield* Tasks
    for (const source of ["webhook", "email"] as const) {
      const scripted = cast({ Plan: [asks(dispatch("d", "Part one"))], "Part one": [asks(call("n", "note"))] })
      const worker = yield* startWorker({ scripted, tools: [...tools, note], policies: denying({ source: "webhook" }) })
      const { id } = yield* tasks.submit(request("Plan it", { source: { kind: source, toolAccess: "all" } }))
      yield* becomes(id, "completed")
      const [child] = yield* childrenOf(id)
      const [result = ""] = yield* resultsOf(child?.id ?? id)
      assert.strictEqual(result.startsWith("Error:"), source === "webhook", source)
      yield* worker.stop
    }
  })
})
