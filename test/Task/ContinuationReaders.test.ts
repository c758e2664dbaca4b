import { assert } from "@effect/vitest"
import type { Caller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { requireCaller } from "../../src/Runtime/Database/Isolation.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { memberAlice, memberBob } from "../People/alice.ts"
import { alice, bob, completes, givenCompleted, request } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { contextOf, continued, inOrder, submitted, told } from "./continuing.ts"

const asked = (caller: Caller) => <A, E, R>(effect: Effect.Effect<A, E, R>) => requireCaller(as(caller)(effect))

inWorld("A member who continues tasks of others", (test) => {
  test("is told of each no more than the team sees, and all of the own ones", function*() {
    yield* ensureRequestRole()
    const first = yield* givenCompleted(`Quolls\nof the ${secret}`, "First answer.")
    const ofBob = yield* asked(memberBob)(submitted(first, "In rhyme", { user_id: bob }))
    yield* completes(ofBob.id, "Second answer.")
    const failed = yield* asked(memberAlice)(submitted(ofBob.id, `Numbats\nof the ${secret}`))
    yield* Effect.flatMap(Tasks, (tasks) => tasks.cancel(failed.id, Option.some(secret)))
    const next = yield* asked(memberBob)(submitted(failed.id, "And now?", { user_id: bob }))
    const text = yield* contextOf(next.id)
    inOrder(text, ["Quolls", "First answer.", "In rhyme", "Second answer.", "Numbats"])
    assert.include(text, "<earlier_outcome>\nnone\n")
    assert.notInclude(text, secret)
    const own = yield* asked(memberAlice)(submitted(failed.id, "And now?"))
    assert.include(yield* contextOf(own.id), `of the ${secret}`)
    assert.include(yield* contextOf(own.id), `Cancelled: ${secret}`)
  })

  test("is told no more where an admin continues them for the member", function*() {
    yield* ensureRequestRole()
    const admin: Caller = { id: UserId.make("carol"), role: "admin" }
    yield* Effect.flatMap(
      Wire,
      ({ query }) =>
        query(`insert into users (id, name, role) values ('carol', 'Carol', 'admin'), ('bob', 'Bob', 'member')
on conflict (id) do update set role = excluded.role`)
    )
    const first = yield* givenCompleted(`Quolls\nof the ${secret}`, "First answer.")
    const forBob = yield* asked(admin)(submitted(first, "And now?", { user_id: bob }))
    assert.notInclude(yield* contextOf(forBob.id), secret)
    const own = yield* asked(admin)(submitted(first, "And now?", { user_id: admin.id }))
    assert.include(yield* contextOf(own.id), secret)
  })

  test("is told all of it as the assignee, whose rules they are as well", function*() {
    yield* ensureRequestRole()
    const tasks = yield* Tasks
    const { id } = yield* tasks.submit(request(`Quolls\nof the ${secret}`, { assignee: bob }))
    yield* completes(id, "First answer.")
    const next = yield* asked(memberBob)(submitted(id, "And now?", { user_id: bob }))
    assert.include(yield* contextOf(next.id), `<earlier_words>\nQuolls\nof the ${secret}\n`)
    const back = yield* asked(memberBob)(submitted(id, "And now?", { user_id: bob, assignee: alice }))
    assert.include(yield* contextOf(back.id), `<earlier_request>\nQuolls\nof the ${secret}\n`)
  })
})

inWorld("A guest of a self-hosted service who continues a task", (test) => {
  test("is told what the guest wrote, and of others' tasks the outcome of the one that is continued", function*() {
    const { query } = yield* Wire
    const guest = UserId.make("guest")
    yield* query("insert into users (id, name, is_guest) values ('guest', 'Guest', true) on conflict (id) do nothing")
    const first = yield* givenCompleted(`Quolls\nof the ${secret}`, "First answer.")
    const second = yield* continued(first, `Numbats\nof the ${secret}`, "Second answer.")
    const chat = { kind: "chat", toolAccess: "all" } as const
    const own = yield* continued(second, "In rhyme", "Third answer.", { user_id: guest, source: chat })
    const text = yield* contextOf(own)
    assert.include(text, "Second answer.")
    assert.include(text, "Tasks before these are not listed.")
    for (const word of [secret, "First answer."]) assert.notInclude(text, word)
    const next = yield* told(own, { user_id: guest, source: chat })
    assert.include(next, "<earlier_request>\nIn rhyme\n")
    assert.notInclude(next, "Second answer.")
    const unknown = yield* told(second, { user_id: bob, source: { kind: "email", toolAccess: "own" } })
    assert.include(unknown, "Second answer.")
    assert.notInclude(unknown, secret)
  })
})

const secret = "mangrove"
