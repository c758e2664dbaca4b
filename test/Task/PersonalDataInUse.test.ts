import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { chmod, mkdir, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Users } from "../../src/People/User/Users.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, bob, givenTask, request } from "../support/GivenTasks.ts"
import { hanging, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { insertRows } from "../support/UserRows.ts"
import { startWorker } from "../support/Workers.ts"
import { erase, tablesWith, withData } from "./personalData.ts"

inWorld("Deleting the data of a person", (test) => {
  test("stops the tasks that run", function*() {
    const { seen, turn } = hanging()
    yield* startWorker({ scripted: scriptedModel(turn, turn) })
    yield* givenTask()
    yield* givenTask()
    yield* eventually(Effect.sync(() => seen.begun), (begun) => begun === 2)
    yield* erase(alice)
    yield* eventually(Effect.sync(() => seen.interrupted), (interrupted) => interrupted === 2)
    assert.deepStrictEqual(yield* tablesWith("alice"), ["memory_owners"])
  })

  test("deletes folders that a script has shut, and follows no link", function*() {
    const sandbox = yield* Sandbox
    yield* sandbox.write(bob, "kept.md", "Kept")
    yield* sandbox.write(alice, "shut/in/secret.md", "Secret")
    const home = yield* sandbox.folder(alice)
    yield* Effect.promise(async () => {
      await symlink(join(dirname(home), "bob"), join(home, "link"))
      await mkdir(join(home, "empty"))
      await chmod(join(home, "shut/in"), 0)
      await chmod(join(home, "shut"), 0)
    })
    yield* erase(alice)
    assert.strictEqual((yield* Effect.flip(sandbox.stat(alice, "shut"))).kind, "missing")
    assert.strictEqual((yield* sandbox.stat(bob, "kept.md")).size, 4)
  })

  test("is finished later when it is interrupted half-way", function*() {
    const sandbox = yield* Sandbox
    const wire = yield* Wire
    yield* sandbox.write(alice, "notes/today.md", "Hello")
    yield* givenTask("Something")
    yield* insertRows(wire.query, alice, ["file_reservations"])
    const reached = yield* Effect.makeLatch()
    wire.before = ({ name }) => name === "tasks_remove_some" ? Effect.zipRight(reached.open, Effect.never) : Effect.void
    const erasing = yield* Effect.fork(erase(alice))
    yield* reached.await
    yield* Fiber.interrupt(erasing)
    wire.before = () => Effect.void

    const finish = withData(({ finishInterrupted }) => finishInterrupted)
    yield* finish
    assert.includeMembers([...yield* tablesWith("alice")], ["erasures", "memories", "tasks", "users"])
    yield* wire.query("update erasures set began_at = began_at - interval '11 minutes'")
    yield* finish
    assert.deepStrictEqual(yield* tablesWith("alice"), ["memory_owners"])
    assert.strictEqual((yield* Effect.flip(sandbox.stat(alice, "notes"))).kind, "missing")
  })

  test("deletes the question that another's task asks them meanwhile", function*() {
    const tasks = yield* Tasks
    const wire = yield* Wire
    yield* tasks.submit(request("For Bob", { user_id: bob, assignee: alice }))
    wire.before = ({ name }) =>
      name === "tasks_remove_some"
        ? wire.query(
          `insert into notifications (id, user_id, task_id, seq)
             select notification_id(now(), id, 1, 0), assignee, id, 1 from tasks where assignee is not null
             on conflict do nothing`
        )
        : Effect.void
    yield* erase(alice)
    assert.deepStrictEqual(yield* tablesWith("alice"), ["memory_owners"])
  })

  test("deletes a file that arrives while the profile is deleted", function*() {
    const sandbox = yield* Sandbox
    const users = yield* Users
    const late = Users.of({
      ...users,
      remove: (id) => Effect.zipRight(users.remove(id), Effect.orDie(sandbox.write(id, "late.txt", "Late")))
    })
    yield* users.ensureExists(alice)
    yield* Effect.provideService(erase(alice), Users, late)
    assert.strictEqual((yield* Effect.flip(sandbox.stat(alice, "late.txt"))).kind, "missing")
  })
})
