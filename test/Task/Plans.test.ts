import { assert } from "@effect/vitest"
import type { Step } from "@troupe/domain/Step"
import { Effect } from "effect"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { call } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { said, write } from "./steps.ts"

const asks = (content: string): Step => ({
  ...said(content),
  message: { role: "assistant", content, tool_calls: [call("c1", "look")] }
})

/** A task with these steps behind it. */
const givenSteps = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const id = yield* givenTask()
    for (const [index, step] of steps.entries()) yield* journal.append(write(id, { seq: index + 1, step }))
    return id
  })

const planOfTask = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const { plan } = yield* tasks.find(yield* givenSteps(steps))
    return plan
  })

const prepared: Step = { kind: "prepared", skills: [], steps: ["Look", "Tell"], tokens: [1, 1], millis: 1 }

inWorld("The plan of a task", (test) => {
  test("is the first text beside a tool call, whatever later steps contain", function*() {
    assert.strictEqual(
      yield* planOfTask([asks(" "), asks("\nFirst I look.\n"), asks("Then I write."), said("Done.")]),
      "First I look."
    )
    assert.isNull(yield* planOfTask([asks(""), said("Done.")]))
  })

  test("is the work steps that were found before, numbered", function*() {
    assert.strictEqual(yield* planOfTask([prepared, asks("I look.")]), "1. Look\n2. Tell")
    assert.strictEqual(yield* planOfTask([{ kind: "prepared", skills: [], millis: 1 }, asks("I look.")]), "I look.")
  })

  test("is written in a form that PostgreSQL can store, whatever text it and its step contain", function*() {
    const text = "\",\"tool_calls\":[{\\"
    assert.strictEqual(yield* planOfTask([asks(`\0${text}\ud800`)]), `\ufffd${text}\ufffd`)
  })

  test("is in lists, even where the step can't be read", function*() {
    const { query } = yield* Wire
    const [planned, odd] = [yield* givenSteps([asks("I look.")]), yield* givenSteps([asks("I look, too.")])]
    yield* query("update steps set body = '{\"kind\":\"unheard of\"}' where task_id = $1", [odd])
    const all = yield* Effect.flatMap(Tasks, (tasks) => tasks.list({})).pipe(
      Effect.map(({ items }) => items)
    )
    assert.deepStrictEqual(
      [planned, odd].map((id) => all.find((task) => task.id === id)?.plan),
      ["I look.", "I look, too."]
    )
  })
})
