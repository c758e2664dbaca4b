import { assert } from "@effect/vitest"
import { UrlElicitationRequiredError } from "@modelcontextprotocol/server"
import { ToolCallId } from "@troupe/domain/Ids"
import { Context, Effect, Fiber, Layer, Record } from "effect"
import * as ExpiredQuestions from "../../src/Task/Command/ExpiredQuestions.ts"
import { OnQuestionExpired } from "../../src/Tool/OnQuestionExpired.ts"
import { askingServer, text } from "../support/AskingServer.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { address, everything, program } from "../support/ToolServerFixture.ts"
import { by, makeWith } from "./serverForms.ts"

inWorld("A server of an older version that refuses a call until somebody has opened a page (-32042)", (test) => {
  const pages = ["https://drive.example.org/consent?x=1", "https://mail.example.org/consent"]

  /** Each tool wants these pages to be opened, so many times. */
  const makeRefusing = (tools: Readonly<Record<string, ReadonlyArray<string>>>, times = Infinity) =>
    Effect.gen(function*() {
      let left = times
      const server = yield* askingServer(
        Record.map(tools, (urls) => () => {
          if (left-- <= 0) return text("two files")
          throw new UrlElicitationRequiredError(
            urls.map((url, index) => ({ mode: "url", elicitationId: String(index), message: "Allow it", url }))
          )
        }),
        { older: true }
      )
      return { server, ...yield* makeWith(address("http", server.url)) }
    })

  test("has the pages opened one after the other, and gets the call again", function*() {
    const { asked, resultOf, server, settled, tasks } = yield* makeRefusing({ list: pages }, 1)
    let task = yield* asked("list")
    for (const url of pages) {
      assert.deepInclude(task, { status: "waiting_input", form: null, url, choices: ["Done", "Decline", "Cancel"] })
      const asks = `The tool server test asks: Allow it\n\nIt wants you to open a page at ${new URL(url).host}.`
      assert.include(task.question, asks)
      assert.lengthOf(server.rounds(), 1)
      yield* tasks.answer(task.id, "Done", by, { call: task.last_tool_call_id })
      task = yield* settled(task.id)
    }
    assert.strictEqual(yield* resultOf(task.id), "two files")
    assert.deepStrictEqual(server.rounds().map(({ args }) => args), [{ day: "Monday" }, { day: "Monday" }])
  })

  test("does not get the call again if one of them is declined", function*() {
    const { asked, resultOf, server, settled, tasks } = yield* makeRefusing({ Decline: pages, Cancel: pages })
    for (const answer of ["Decline", "Cancel"]) {
      const { id } = yield* asked(answer)
      yield* tasks.answer(id, "Done", by)
      yield* settled(id)
      yield* tasks.answer(id, answer, by)
      assert.strictEqual((yield* settled(id)).status, "completed")
      assert.include(yield* resultOf(id), "it needs somebody to open a page, which was declined")
    }
    assert.deepStrictEqual(server.rounds().map(({ tool }) => tool), ["Decline", "Cancel"])
  })

  test("is given up if it refuses the call again and again", function*() {
    const { asked, resultOf, server, settled, tasks } = yield* makeRefusing({ list: pages.slice(0, 1) })
    let task = yield* asked("list")
    while (task.status === "waiting_input") {
      yield* tasks.answer(task.id, "Done", by, { call: task.last_tool_call_id })
      task = yield* settled(task.id)
    }
    assert.include(yield* resultOf(task.id), "it asks more than 10 questions")
    assert.lengthOf(server.rounds(), 11)
  })

  test("has no page opened without a proper address, and nobody asked without a page", function*() {
    const refused = {
      script: ["javascript:alert(1)"],
      user: ["https://bank.example@evil.example/"],
      ftp: ["ftp://files.example.org"],
      second: [...pages, "javascript:alert(1)"],
      none: []
    }
    const { asked, resultOf } = yield* makeRefusing(refused)
    for (const name of Object.keys(refused)) {
      const { id, status } = yield* asked(name)
      assert.strictEqual(status, "completed", name)
      assert.match(yield* resultOf(id), name === "none" ? /^Error: .*-32042/ : /^Error: .*address/, name)
    }
  })
})

inWorld("A server of an older version that asks while a call goes on", (test) => {
  test("gets the answer in that call", function*() {
    const { asked, resultOf, settled, tasks } = yield* makeWith(program([everything, "stdio"]))
    const task = yield* asked("trigger-elicitation-request")
    assert.strictEqual(task.status, "waiting_input")
    assert.includeMembers(Object.keys(task.form?.properties ?? {}), ["name", "check", "email"])
    assert.deepStrictEqual(task.form?.required, ["name"])
    yield* tasks.answer(task.id, "", by, { fields: { name: "Ann", check: true, email: "ann@example.org" } })
    assert.strictEqual((yield* settled(task.id)).status, "completed")
    assert.include(yield* resultOf(task.id), "Ann")
  })

  test("is declined once its time is over, without a person", function*() {
    const { asked, resultOf, settled } = yield* makeWith(program([everything, "stdio"]))
    const { id } = yield* asked("trigger-elicitation-request")
    const { expired } = Context.get(yield* Layer.build(ExpiredQuestions.layer), OnQuestionExpired)
    yield* expired(id, ToolCallId.make("another"))
    yield* expired(id, ToolCallId.make("one"))
    assert.strictEqual((yield* settled(id)).status, "completed")
    assert.include(yield* resultOf(id), "declined")
  })

  test("hears that the task is cancelled", function*() {
    const { asked, tasks } = yield* makeWith(program([everything, "stdio"]))
    const { id } = yield* asked("trigger-elicitation-request")
    const { cancelled } = Context.get(yield* Layer.build(ExpiredQuestions.layer), OnQuestionExpired)
    const heard = yield* Effect.fork(cancelled(id))
    yield* Effect.yieldNow()
    yield* tasks.cancel(id, by)
    yield* Fiber.join(heard)
  })

  test("whose process has ended meanwhile does not get the answer, and the agent is told so", function*() {
    const { asked, connection, resultOf, settled, tasks } = yield* makeWith(program([everything, "stdio"]))
    const task = yield* asked("trigger-elicitation-request")
    connection.close("it ended")
    yield* Effect.either(tasks.answer(task.id, "Decline", by))
    yield* settled(task.id)
    assert.match(yield* resultOf(task.id), /^Error: trigger-elicitation-request of the tool server test failed: /)
  })
})
