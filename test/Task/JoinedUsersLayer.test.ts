import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { changingUsers, joinUsers } from "../../src/People/User/JoinedUsers.ts"
import { JoinedUsersLayer } from "../../src/Task/Command/JoinedUsersLayer.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, bob, givenTask } from "../support/GivenTasks.ts"
import { hanging, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

const joined = Effect.flatMap(SqlClient, (sql) => changingUsers(sql)(joinUsers(sql, [{ id: bob, user_id: alice }])))

inWorld("A task of a user who is joined with another", (test) => {
  test("is interrupted, runs on as the other user's, and finds the files", function*() {
    const { query } = yield* Wire
    const tasks = yield* Tasks
    const sandbox = yield* Sandbox
    yield* query("insert into users (id) values ('alice'), ('bob') on conflict do nothing")
    yield* sandbox.write(bob, "notes.txt", "mine")
    yield* Layer.build(JoinedUsersLayer)
    const { seen, turn } = hanging()
    yield* startWorker({ scripted: scriptedModel(turn, says("Done.")) })
    const id = yield* givenTask("Read notes.txt", bob)
    yield* eventually(Effect.sync(() => seen.begun), (begun) => begun === 1)
    yield* joined
    const task = yield* eventually(tasks.find(id), ({ status }) => status === "completed")
    assert.strictEqual(task.creator, alice)
    assert.deepStrictEqual(seen, { begun: 1, interrupted: 1 })
    assert.deepStrictEqual(yield* query("select user_id from notifications"), [{ user_id: "alice" }])
    const files = yield* eventually(sandbox.files(alice, { after: "", limit: 9 }), ({ length }) => length > 0)
    assert.deepStrictEqual(files.map(({ path }) => path), ["notes.txt"])
    assert.deepStrictEqual(yield* sandbox.files(UserId.make("bob"), { after: "", limit: 9 }), [])
  })
})
