import { assert } from "@effect/vitest"
import { defaultUser, UserId } from "@troupe/domain/Ids"
import type { CallGrant, CallRequester } from "@troupe/domain/PolicyDecision"
import { Effect } from "effect"
import { Grants } from "../../src/Policy/Grants.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const task = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e01"
const otherTask = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e02"
const schedule = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e03"
const otherSchedule = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e04"

const by = (given: Partial<CallRequester> = {}): CallRequester => ({
  requester: "member",
  source: "api",
  task: otherTask,
  person: "alice",
  agent: null,
  project: null,
  schedule: null,
  ...given
})

const ofAgent = (agent: string | null, person: string | null, project: string | null = null): CallGrant["covers"] => ({
  scope: "agent",
  agent,
  person,
  project
})

/** Grants one tool, and yields what is found for a call of it. */
const foundAfter = (tool: string, ...granted: ReadonlyArray<CallGrant["covers"]>) =>
  Effect.gen(function*() {
    const grants = yield* Grants
    yield* Effect.forEach(
      granted,
      (covers) => grants.add({ tool, binding: "b", covers, values: { "/to": "a" }, by: UserId.make("alice") })
    )
    return (requester: Partial<CallRequester>, of = tool) =>
      Effect.map(grants.forCall(by(requester), of), (found) => found.map(({ covers }) => covers))
  })

inWorld("Grants for a call", (test) => {
  test("are those of its task, with the values that must stay", function*() {
    const found = yield* foundAfter("a__task", { scope: "task", task })
    assert.deepStrictEqual(yield* found({ task }), [{ scope: "task", task }])
    assert.deepStrictEqual(yield* found({}), [])
    assert.deepStrictEqual(yield* found({ task }, "a__other"), [])
    const [grant] = yield* (yield* Grants).forCall(by({ task }), "a__task")
    assert.deepInclude(grant, { tool: "a__task", binding: "b", values: { "/to": "a" } })
  })

  test("are those of its schedule", function*() {
    const found = yield* foundAfter("a__schedule", { scope: "schedule", schedule })
    assert.deepStrictEqual(yield* found({ schedule }), [{ scope: "schedule", schedule }])
    assert.deepStrictEqual(yield* found({ schedule: otherSchedule }), [])
    assert.deepStrictEqual(yield* found({}), [])
  })

  test("are those of its agent, whoever asks", function*() {
    const found = yield* foundAfter("a__agent", ofAgent("buyer", null))
    assert.deepStrictEqual(yield* found({ agent: "buyer", person: "bob" }), [ofAgent("buyer", null)])
    assert.deepStrictEqual(yield* found({ agent: "seller" }), [])
    assert.deepStrictEqual(yield* found({}), [])
  })

  test("without an agent, are those of its person", function*() {
    const found = yield* foundAfter("a__person", ofAgent(null, "alice", "p"))
    assert.deepStrictEqual(yield* found({ project: "p" }), [ofAgent(null, "alice", "p")])
    assert.deepStrictEqual(yield* found({ person: "bob", project: "p" }), [])
    assert.deepStrictEqual(yield* found({ agent: "buyer", project: "p" }), [])
  })

  test("say who granted them, and whether that is an owner, an admin or the operator now", function*() {
    const { query } = yield* Wire
    yield* query("insert into users (id, role) values ('carol', 'admin'), ('dora', 'member')")
    const grants = yield* Grants
    for (const one of ["carol", "dora", defaultUser]) {
      const covers = { scope: "task", task } as const
      yield* grants.add({ tool: "a__by", binding: "b", covers, values: {}, by: UserId.make(one) })
    }
    const granted = Effect.map(
      grants.forCall(by({ task }), "a__by"),
      (found) => Object.fromEntries(found.map((one) => [one.by, one.isByAdmin]))
    )
    assert.deepStrictEqual(yield* granted, { carol: true, dora: false, [defaultUser]: true })
    yield* query("update users set role = 'member' where id = 'carol'")
    assert.isFalse((yield* granted)["carol"])
  })

  test("end 90 days after the last use, or after they were granted", function*() {
    const { query } = yield* Wire
    const found = yield* foundAfter("a__old", { scope: "task", task })
    const age = (created: number, used: number | null) =>
      query(
        `update grants set created_at = now() - $1 * interval '1 day', used_at = now() - $2 * interval '1 day' where tool = 'a__old'`,
        [created, used]
      )
    yield* age(89, null)
    assert.lengthOf(yield* found({ task }), 1)
    yield* age(91, null)
    assert.lengthOf(yield* found({ task }), 0)
    yield* age(300, 89)
    assert.lengthOf(yield* found({ task }), 1)
    yield* age(300, 91)
    assert.lengthOf(yield* found({ task }), 0)
  })
})
