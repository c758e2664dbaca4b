import { assert } from "@effect/vitest"
import type { Via } from "@troupe/domain/DoneBy"
import type { TaskId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { Users } from "../../src/People/User/Users.ts"
import { via } from "../../src/Task/Command/CurrentVia.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { alice, claim, givenTask, givenWaiting } from "../support/GivenTasks.ts"
import { says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"
import { mailTo, makeOffice } from "./mailApprovals.ts"

const named = Effect.gen(function*() {
  const users = yield* Users
  yield* users.ensureExists(alice)
  yield* users.change(alice, { display_name: "Ada" })
})

const linesOf = (id: TaskId) =>
  Effect.map(
    Effect.flatMap(Tasks, (tasks) => tasks.find(id)),
    ({ logs }) => logs.map(({ message }) => message)
  )

const ada = (way: Via) => ({ user_id: alice, name: "Ada", via: way })

inWorld("What a person does with a task", (test) => {
  test("is journalled with the name and the way of an answer", function*() {
    yield* named
    const tasks = yield* Tasks
    const id = yield* givenWaiting()
    const { logs } = yield* via("chat")(tasks.answer(id, "This one", Option.some(alice)))
    const answered = logs.at(-1)
    assert.strictEqual(answered?.message, "Ada answered in the chat")
    assert.deepInclude(answered?.data, { answered_by: ada("chat") })
    yield* (yield* Users).change(alice, { display_name: "Ada L." })
    assert.include(yield* linesOf(id), "Ada answered in the chat", "the name at that time")
  })

  test("is journalled with who sent a message, and who cancelled it", function*() {
    yield* named
    const tasks = yield* Tasks
    const commands = yield* TaskCommands
    const id = yield* givenTask()
    yield* via("email")(tasks.message(id, "Shorter", Option.some(alice)))
    yield* via("email")(commands.steer(id, "Hello", null, { fromOutside: true, name: "eve@example.net" }))
    const entities = yield* makeEntities({ scripted: scriptedModel(says("Done.")) })
    yield* entities.wake(yield* claim(id))
    assert.includeMembers(yield* linesOf(id), [
      "Ada sent a message by mail: Shorter",
      "eve@example.net sent a message by mail: Hello"
    ])
    const other = yield* givenTask()
    yield* via("command_line")(tasks.cancel(other, Option.some("too slow"), alice))
    assert.include(yield* linesOf(other), "Ada cancelled the task on the command line: too slow")
  })

  test("is journalled as a decision where a mail needed approval", function*() {
    yield* named
    const { settled, tasks, works } = yield* makeOffice
    for (
      const [text, decision, line] of [
        ["Send", "approved", "Ada approved the call in the console"],
        ["Don't send", "denied", "Ada denied the call in the console"]
      ] as const
    ) {
      const { id, last_tool_call_id } = yield* works("Write to somebody", [mailTo("new@example.net"), says("Done.")])
      yield* via("console")(tasks.answer(id, text, Option.some(alice), { call: last_tool_call_id }))
      const { logs } = yield* settled(id)
      const decided = logs.find(({ message }) => message === line)
      assert.deepInclude(decided?.data, { answered_by: ada("console"), decision })
    }
  })
})
