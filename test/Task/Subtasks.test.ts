import { assert } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import type { ToolOutcome } from "../../src/Tool/AgentTool.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, dies, says, type Turn } from "../support/ScriptedModel.ts"
import { becomes, rowOf, statusOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities, startWorker } from "../support/Workers.ts"
import {
  anotherConnection,
  cast,
  childIdsOf,
  childrenOf,
  dispatch,
  resultsOf,
  tools,
  traceOf,
  waiters
} from "./subtasks.ts"

inWorld("Subtasks", (test) => {
  test("run concurrently while their parent waits, which resumes once with all results in the order of its calls", function*() {
    const gate = yield* Effect.makeLatch(false)
    const slowly = (text: string): Turn => (asked) => Effect.zipRight(gate.await, says(text)(asked))
    const scripted = cast({
      Plan: [
        asks(dispatch("a", "Part one"), dispatch("b", "Part two", { agent_type: "research", max_iterations: 3 }))
      ],
      "Part one": [slowly("One.")],
      "Part two": [slowly("Two.")]
    })
    yield* startWorker({ scripted, tools })
    const id = yield* givenTask("Plan it")
    yield* becomes(id, "waiting_subagents")
    const waiting = yield* rowOf(id)
    assert.deepInclude(waiting, { last_tool_call_id: `["a","b"]`, wake_at: null, runner: null })
    yield* gate.open
    yield* becomes(id, "completed")
    const results = yield* resultsOf(id)
    assert.match(results[0] ?? "", /^The general subagent is done .*\n\nOne\.$/)
    assert.match(results[1] ?? "", /^The research subagent is done .*\n\nTwo\.$/)
    assert.deepStrictEqual(yield* traceOf(id), { commands: 0, open: null, locked: false, woken: ["first", "resume"] })
    const children = yield* childrenOf(id)
    assert.deepStrictEqual(
      children.map(({ agent_type, creator, parent_task_id, status, task_type }) => [
        task_type,
        agent_type,
        parent_task_id,
        creator,
        status
      ]),
      [
        ["subtask", "general", id, alice, "completed"],
        ["subtask", "research", id, alice, "completed"]
      ]
    )
    assert.strictEqual((yield* rowOf(id)).last_tool_call_id, null)
  })

  test("never exceed the worker's slots: ten and their parent end with one slot", function*() {
    const five = (turn: string) =>
      asks(...Array.from({ length: 5 }, (_, index) => dispatch(`${turn}${index}`, `Part ${turn}${index}`)))
    const scripted = cast({ Plan: [five("x"), five("y"), says("All ten.")] })
    yield* startWorker({ scripted, tools, maxActive: 1 })
    const id = yield* givenTask("Plan it")
    yield* becomes(id, "completed")
    assert.strictEqual((yield* resultsOf(id)).length, 10)
    assert.strictEqual((yield* childrenOf(id)).length, 10)
    assert.deepStrictEqual((yield* traceOf(id)).woken, ["first", "resume", "resume"])
  })

  test("that fail or are cancelled are results for their parent", function*() {
    const tasks = yield* Tasks
    const scripted = cast({
      Plan: [asks(dispatch("a", "Breaks"), dispatch("b", "Hangs"))],
      Breaks: [dies("boom")],
      Hangs: [() => Effect.never]
    })
    yield* startWorker({ scripted, tools, maxCrashes: 0 })
    const id = yield* givenTask("Plan it")
    yield* becomes(id, "waiting_subagents")
    const [breaks, hangs] = yield* childrenOf(id)
    yield* becomes(breaks?.id ?? id, "failed")
    assert.strictEqual(yield* statusOf(id), "waiting_subagents")
    yield* tasks.cancel(hangs?.id ?? id, Option.some("enough"))
    yield* becomes(id, "completed")
    const results = yield* resultsOf(id)
    assert.match(results[0] ?? "", /^Error: the general subagent failed .*crashed/)
    assert.match(results[1] ?? "", /^Error: the general subagent failed .*: Cancelled: enough$/)
  })

  test("of a turn that also asks leave the question open when they end, and are collected after its answer", function*() {
    const tasks = yield* Tasks
    const scripted = cast({
      Plan: [asks(dispatch("a", "Part one"), call("q", "ask_human", { question: "Which?" }))],
      "Part one": [says("One.")]
    })
    yield* startWorker({ scripted, tools })
    const id = yield* givenTask("Plan it")
    yield* becomes(id, "waiting_input")
    const [child] = yield* childrenOf(id)
    yield* becomes(child?.id ?? id, "completed")
    assert.include(yield* rowOf(id), {
      status: "waiting_input",
      question: "Which?",
      last_tool_call_id: "q",
      wake_at: null
    })
    yield* tasks.answer(id, "This one", Option.none())
    yield* becomes(id, "completed")
    assert.match((yield* resultsOf(id)).join("|"), /^The general subagent is done .*\n\nOne\.\|This one$/)
    assert.deepStrictEqual(yield* traceOf(id), { commands: 0, open: null, locked: false, woken: ["first", "resume"] })
  })

  test("that end while other calls of the turn still run are collected at once", function*() {
    const gate = yield* Effect.makeLatch(false)
    const slow = tool("slow", "read", Effect.as(gate.await, "slept" as string | ToolOutcome))
    const scripted = cast({ Plan: [asks(call("s", "slow"), dispatch("a", "Part one"))], "Part one": [says("One.")] })
    yield* startWorker({ scripted, tools: [...tools, slow] })
    const id = yield* givenTask("Plan it")
    const [child] = yield* eventually(childrenOf(id), (children) => children.length === 1)
    yield* becomes(child?.id ?? id, "completed")
    yield* gate.open
    yield* becomes(id, "completed")
    assert.deepStrictEqual(yield* traceOf(id), { commands: 0, open: null, locked: false, woken: ["first"] })
    assert.match((yield* resultsOf(id)).join("|"), /^slept\|The general subagent is done/)
  })

  test("are made once, wherever their parent crashes", function*() {
    const scripted = cast({ Plan: [asks(dispatch("a", "Part one"), call("h", "hangs"))] })
    const hangs = tool("hangs", "read", Effect.never)
    const first = yield* makeEntities({ scripted, tools: [...tools, hangs] })
    const id = yield* givenTask("Plan it")
    const claimed = yield* claim(id)
    yield* Effect.fork(first.wake(claimed))
    yield* eventually(childrenOf(id), (children) => children.length === 1)
    yield* first.interrupt(claimed)
    const returns = tool("hangs", "read", Effect.succeed("came back"))
    yield* startWorker({ scripted, tools: [...tools, returns] })
    yield* becomes(id, "completed")
    assert.strictEqual((yield* childrenOf(id)).length, 1)
    assert.match((yield* resultsOf(id)).join("|"), /^The general subagent is done .*\n\nDone\.\|came back$/)
  })

  test("end with their parent even if they are made while the cancel waits for its row", function*() {
    const tasks = yield* Tasks
    const asked = yield* Effect.makeLatch(false)
    const slowly: Turn = (request) => Effect.zipRight(asked.await, asks(dispatch("a", "Hangs"))(request))
    const scripted = cast({ Plan: [slowly], Hangs: [() => Effect.never] })
    const other = yield* anotherConnection
    yield* startWorker({ scripted, tools })
    const id = yield* givenTask("Plan it")
    yield* becomes(id, "running")
    // Holds the journal's dispatch back between its row's lock and its commit: step 3 has this key.
    yield* other("begin")
    yield* other("insert into steps (task_id, seq, body) values ($1, 3, 'x')", [id])
    yield* asked.open
    yield* waiters(1)
    const cancelling = yield* Effect.fork(tasks.cancel(id, Option.none()))
    yield* waiters(2)
    yield* other("rollback")
    yield* Fiber.join(cancelling)
    const [child = id] = yield* childIdsOf(id, 1)
    assert.include((yield* stepsOf(id)).map(({ kind }) => kind), "dispatched")
    assert.strictEqual((yield* rowOf(child)).status, "failed")
  })

  test("continue after their parent's failure, for its retry, and end when it is archived", function*() {
    const tasks = yield* Tasks
    const dying = tool("dying", "read", Effect.never)
    const scripted = cast({ Plan: [asks(dispatch("a", "Hangs"), call("x", "dying"))], Hangs: [() => Effect.never] })
    const worker = yield* startWorker({ scripted, tools: [...tools, dying], maxCrashes: 0 })
    const id = yield* givenTask("Plan it")
    const [child = id] = yield* childIdsOf(id, 1)
    yield* becomes(child, "running")
    const { query } = yield* Wire
    yield* query(
      "update actors set status = 'failed', error = 'x', wake_at = null, epoch = epoch + 1 where task_id = $1",
      [id]
    )
    assert.strictEqual((yield* rowOf(child)).status, "running")
    yield* tasks.remove(id)
    yield* becomes(child, "failed")
    yield* eventually(Effect.sync(worker.waker.active), (active) => active === 0)
  })
})
