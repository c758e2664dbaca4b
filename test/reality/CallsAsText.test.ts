import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { inWorld } from "../support/TaskWorld.ts"
import { answer, calling, ended, resultOf, startAgent, submitted } from "./answeringModel.ts"

const textCall = "<tool_call>\n{\"name\": \"list_directory\", \"arguments\": {}}\n</tool_call>"

inWorld("What a model provider answers", (test) => {
  test("a call written as text: asked once more with a hint how to call, never run", function*() {
    const { ran, server, start } = yield* startAgent()
    yield* server.script(
      answer({ content: textCall }),
      answer({ content: null, ...calling }),
      answer({ content: "One file." })
    )
    yield* start
    const { id } = yield* submitted()
    assert.strictEqual(resultOf(yield* ended(id)), "One file.")
    assert.deepStrictEqual(ran, ["list_directory"])
    const bodies = (yield* server.requests).map(({ body }) => body)
    assert.deepStrictEqual(bodies.map((body) => body.includes("which was not run")), [false, true, false])
  })

  test("a call written as text, the second time: a failure that says so, also with a crash in between", function*() {
    const { ran, server, start } = yield* startAgent()
    yield* server.script(answer({ content: textCall }), { hang: true }, answer({ content: textCall }))
    const first = yield* start
    const { id } = yield* submitted()
    yield* Queue.take(server.arrivals)
    yield* Queue.take(server.arrivals)
    yield* first.stop
    yield* start
    const task = yield* ended(id)
    assert.strictEqual(task.status, "failed")
    assert.match(task.error ?? "", /^The model called list_directory in the text of its answer/)
    assert.deepStrictEqual(task.outputs, [])
    assert.deepStrictEqual(ran, [])
    assert.lengthOf(yield* server.requests, 3)
  })

  for (const content of ["", null, " \n", []]) {
    test(`a turn of tools, then the answer ${JSON.stringify(content)}: asked once more, then a plain end that says it`, function*() {
      const { server, start } = yield* startAgent()
      yield* server.script(
        answer({ content: null, ...calling }),
        answer({ content }),
        answer({ content: "One file." }),
        answer({ content: null, ...calling }),
        answer({ content }),
        answer({ content, reasoning_content: "Nothing to add." })
      )
      yield* start
      const once = yield* Effect.flatMap(submitted(), ({ id }) => ended(id))
      assert.strictEqual(resultOf(once), "One file.")
      const twice = yield* Effect.flatMap(submitted(), ({ id }) => ended(id))
      assert.match(
        resultOf(twice),
        /^The task ended without an answer of the agent\. The model answered with nothing, also when .*- list_directory: 2 file$/s
      )
      assert.lengthOf(yield* server.requests, 6)
    })
  }
})
