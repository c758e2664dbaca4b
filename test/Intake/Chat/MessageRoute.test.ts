import { assert, describe, it } from "@effect/vitest"
import { TaskStatus } from "@troupe/domain/Task"
import { FastCheck as fc } from "effect"
import { type Route, type RouteInput, routeOf } from "../../../src/Intake/Chat/MessageRoute.ts"

const inChannel: RouteInput = { isDirect: false, isMention: false, isInThread: false, isMember: true, task: null }
const mention = { ...inChannel, isMention: true }
const inThread = { ...inChannel, isInThread: true }
const direct = { ...inChannel, isDirect: true }
const task = (status: TaskStatus, mayChange = true) => ({ status, mayChange })

describe("what is said", () => {
  it.each<readonly [string, RouteInput, Route]>([
    ["in a channel", inChannel, "keep"],
    ["with a mention", mention, "new"],
    ["to us alone", direct, "new"],
    ["in a thread of others", inThread, "keep"],
    ["in the thread of a question", { ...inThread, task: task("waiting_input") }, "answer"],
    [
      "in the thread of a question, with a mention",
      { ...inThread, isMention: true, task: task("waiting_input") },
      "answer"
    ],
    ["to us while we ask", { ...direct, task: task("waiting_input") }, "answer"],
    ["by somebody without the right to answer", { ...inThread, task: task("waiting_input", false) }, "keep"],
    ["so, with a mention", { ...inThread, isMention: true, task: task("waiting_input", false) }, "refuseAnswer"],
    ["in the thread of what is done", { ...inThread, task: task("completed") }, "continue"],
    [
      "in the thread of what has failed, with a mention",
      { ...inThread, isMention: true, task: task("failed") },
      "continue"
    ],
    ["in the thread of what is at work", { ...inThread, task: task("running") }, "steer"],
    ["so, with a mention", { ...inThread, isMention: true, task: task("running") }, "new"],
    ["so, by somebody else", { ...inThread, task: task("running", false) }, "keep"],
    ["to us outside of a thread", { ...direct, task: task("completed") }, "new"],
    ["by a stranger in a channel", { ...inThread, isMember: false, task: task("waiting_input") }, "keep"],
    ["by a stranger with a mention", { ...mention, isMember: false }, "refuseNonMember"],
    ["by a stranger to us alone", { ...direct, isMember: false }, "refuseNonMember"]
  ])("%s", (_, said, route) => assert.strictEqual(routeOf(said), route))

  const said: fc.Arbitrary<RouteInput> = fc.record({
    isDirect: fc.boolean(),
    isMention: fc.boolean(),
    isInThread: fc.boolean(),
    isMember: fc.boolean(),
    task: fc.option(fc.record({ status: fc.constantFrom(...TaskStatus.literals), mayChange: fc.boolean() }))
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
