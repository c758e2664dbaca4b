import { type TaskId } from "@troupe/domain/Ids"
import { Duration, Effect, Option } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { serverToolSource } from "../../src/Tool/Toolboxes.ts"
import type { ToolServer } from "../../src/ToolServer/ToolServer.ts"
import { eventually } from "../support/Eventually.ts"
import { noSignIns } from "../support/FakeTool.ts"
import { alice, request } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { connected } from "../support/ToolServerFixture.ts"
import { startWorker } from "../support/Workers.ts"

export const by = Option.some(alice)

export const makeWith = Effect.fnUntraced(function*(toolServer: ToolServer) {
  const tasks = yield* Tasks
  const connection = yield* connected(toolServer)
  const { tools: listed } = yield* connection.list
  const source = serverToolSource(
    {
      tools: () => listed,
      call: (tool, args, onProgress, asking) =>
        connection.call(tool.name, args, Duration.seconds(20), onProgress, asking),
      absent: () => null,
      signIns: noSignIns,
      openSession: () => Effect.dieMessage("there is no subagent"),
      settled: Effect.void
    },
    yield* Sandbox,
    new Set()
  )
  const scripted = scriptedModel()
  yield* startWorker({ scripted, tools: source.tools([]) })
  const settled = (id: TaskId) =>
    eventually(tasks.find(id), ({ status }) => ["waiting_input", "completed", "failed"].includes(status))
  return {
    connection,
    scripted,
    tasks,
    settled,
    asked: (tool: string) =>
      Effect.gen(function*() {
        scripted.script(asks(call("one", `test__${tool}`, { day: "Monday" })), says("Done."))
        const { id } = yield* tasks.submit(request("Book a table"))
        return yield* settled(id)
      }),
    resultOf: (id: TaskId) =>
      Effect.map(tasks.messages(id), (messages) => messages.find(({ role }) => role === "tool")?.content ?? "")
  }
})
