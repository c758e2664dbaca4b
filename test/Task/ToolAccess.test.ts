import { assert } from "@effect/vitest"
import { ToolAccess } from "@troupe/domain/Task"
import { Effect } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { request } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

inWorld("The tools of a task", (test) => {
  test("follow from what is known of its sender, also for calls that were not offered", function*() {
    const sent: Array<string> = []
    const send = Effect.sync(() => {
      sent.push("mail")
      return "sent"
    })
    const tools = [
      fakeTool("read_file", Effect.succeed("text")),
      fakeTool("write_file", Effect.succeed("written"), { changes: "own", effect: "idempotent" }),
      fakeTool("send_email", send, { effect: "outside", class: "own" })
    ]
    const scripted = scriptedModel()
    yield* startWorker({ scripted, tools })
    const { find, messages, submit } = yield* Tasks
    for (const toolAccess of ToolAccess.literals) {
      scripted.script(asks(call("c", "send_email")), says("Done."))
      const { id } = yield* submit(
        request("Send it", { source: { kind: "webhook", toolAccess } })
      )
      yield* eventually(find(id), ({ status }) => status === "completed")
      const refused = (yield* messages(id)).some(({ content }) => content.includes("there is no tool"))
      assert.strictEqual(refused, toolAccess !== "all", toolAccess)
    }
    assert.deepStrictEqual(sent, ["mail"])
    const offered = scripted.requests.map((one) => one.tools.tools.map(({ name }) => name).join(" "))
    assert.deepStrictEqual([...new Set(offered)], [
      "read_file write_file send_email",
      "read_file write_file",
      "read_file"
    ])
  })
})
