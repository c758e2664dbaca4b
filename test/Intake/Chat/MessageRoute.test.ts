import { assert, describe, it } from "@effect/vitest"
import { TaskStatus } from "@troupe/domain/Task"
import { FastCheck as fc } from "effect"
import { type RouteInput, routeOf } from "../../../src/Intake/Chat/MessageRoute.ts"

const inThread: RouteInput = { isDirect: false, isMention: false, isMember: true, task: null }
const mention = { ...inThread, isMention: true }
const question = { status: "waiting_input", mayChange: false, isDecided: false } as const
const failed = { status: "failed", mayChange: false, isDecided: false } as const

describe("what is said", () => {
  it("in the thread of a question for others is stored, or refused if it mentions us", () =>
    assert.deepStrictEqual(
      [routeOf({ ...inThread, task: question }), routeOf({ ...mention, task: question })],
      ["keep", "refuseAnswer"]
    ))

  it("to decide what others are asked to approve is refused, without a mention too", () =>
    assert.strictEqual(routeOf({ ...inThread, task: { ...question, isDecided: true } }), "refuseAnswer"))

  it("with a mention in the thread of a task that has ended continues it", () =>
    assert.strictEqual(routeOf({ ...mention, task: failed }), "continue"))

  const said: fc.Arbitrary<RouteInput> = fc.record({
    isDirect: fc.boolean(),
    isMention: fc.boolean(),
    isMember: fc.boolean(),
    task: fc.option(
      fc.record({ status: fc.constantFrom(...TaskStatus.literals), mayChange: fc.boolean(), isDecided: fc.boolean() })
    )
  })

  it.prop("by people outside the team never reaches a task", [said], ([one]) => {
    if (!one.isMember) assert.include(["keep", "refuseNonMember"], routeOf(one))
  })

  it.prop("changes a task only with the right to, and is never lost when it is addressed to us", [said], ([one]) => {
    const route = routeOf(one)
    if (route === "answer" || route === "steer") assert.isTrue(one.task?.mayChange)
    if (one.isDirect || one.isMention) assert.notStrictEqual(route, "keep")
  })
})
