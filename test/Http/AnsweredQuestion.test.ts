import { FetchHttpClient } from "@effect/platform"
import { assert, it } from "@effect/vitest"
import { createTroupe, TroupeError } from "@troupe/client"
import { TroupeRpc } from "@troupe/client/TroupeRpc"
import { TaskStateConflict } from "@troupe/domain/Task"
import { Context, Effect, Layer } from "effect"
import { overHttp } from "../support/McpClient.ts"
import { sampleRequest } from "../support/Samples.ts"
import { idOf, makeFakes, makeTask } from "./Fakes.ts"
import { started } from "./TestServer.ts"

it.scopedLive("An answer over HTTP, as a procedure and as a tool is one to the question that it names", () =>
  Effect.gen(function*() {
    const fakes = makeFakes()
    fakes.submitted.push(sampleRequest("m"))
    const named: Array<unknown> = []
    fakes.answer = (id, _, __, { call } = {}) => {
      named.push(call)
      return call === "asked_now" || call === undefined
        ? Effect.succeed(makeTask(id))
        : new TaskStateConflict({ id, status: "waiting_input", wanted: "it asks another question by now" })
    }
    const port = yield* started(fakes)
    const url = `http://127.0.0.1:${port}`
    const task_id = idOf(1)
    const troupe = createTroupe({ url })
    const mcp = yield* overHttp(port)
    const procedures = yield* Layer.build(Layer.provide(TroupeRpc.layer({ baseUrl: url }), FetchHttpClient.layer))
    const rpc = Context.get(procedures, TroupeRpc)

    const refused = yield* Effect.promise(() =>
      troupe.answer(task_id, "Send", { tool_call_id: "asked_before" }).catch((error: unknown) => error)
    )
    assert.instanceOf(refused, TroupeError)
    assert.strictEqual(refused.status, 409)
    const failed = yield* Effect.flip(rpc.answer({ task_id, response: "Send", tool_call_id: "asked_before" }))
    assert.instanceOf(failed, TaskStateConflict)
    const result = yield* mcp.call("answer_task", { task_id, response: "Send", tool_call_id: "asked_before" })
    assert.match(result.text, /asks another question by now/)
    assert.deepStrictEqual(named.splice(0), ["asked_before", "asked_before", "asked_before"])

    yield* Effect.promise(() => troupe.answer(task_id, "Send", { tool_call_id: "asked_now" }))
    yield* rpc.answer({ task_id, response: "Send", tool_call_id: "asked_now" })
    yield* mcp.call("answer_task", { task_id, response: "Send", tool_call_id: "asked_now" })
    yield* Effect.promise(() => troupe.answer(task_id, "Blue"))
    assert.deepStrictEqual(named, ["asked_now", "asked_now", "asked_now", undefined])
  }))
