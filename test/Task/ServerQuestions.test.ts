import { assert } from "@effect/vitest"
import { inputRequired, UrlElicitationRequiredError } from "@modelcontextprotocol/server"
import { type TaskId, ToolCallId } from "@troupe/domain/Ids"
import { Context, Duration, Effect, Exit, Fiber, Layer, Option, Record, Scope } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import * as ExpiredQuestions from "../../src/Task/Command/ExpiredQuestions.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { OnQuestionExpired } from "../../src/Tool/OnQuestionExpired.ts"
import { serverToolSource } from "../../src/Tool/Toolboxes.ts"
import type { ToolServer } from "../../src/ToolServer/ToolServer.ts"
import { askingServer, text } from "../support/AskingServer.ts"
import { eventually } from "../support/Eventually.ts"
import { noSignIns } from "../support/FakeTool.ts"
import { alice, request } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { address, connected, everything, program } from "../support/ToolServerFixture.ts"
import { startWorker } from "../support/Workers.ts"

const by = Option.some(alice)

type Server = Parameters<typeof askingServer>[0]

/** A worker whose agents have the tools of a server, and a task that calls one of them. */
const makeBooking = (tools: Server) =>
  Effect.flatMap(
    askingServer(tools),
    (server) => Effect.map(makeWith(address("http", server.url)), (made) => ({ ...made, server }))
  )

const makeWith = Effect.fnUntraced(function*(toolServer: ToolServer) {
  const tasks = yield* Tasks
  const connection = yield* connected(toolServer)
  const { tools: listed } = yield* connection.list
  const source = serverToolSource(
    {
      tools: () => listed,
      call: (tool, args, onProgress, asking) =>
        connection.call(tool.name, args, Duration.seconds(20), onProgress, asking),
      absent: () => null,
      signIns: noSignIns,
      openSession: () => Effect.dieMessage("there is no subagent"),
      settled: Effect.void
    },
    yield* Sandbox,
    new Set()
  )
  const scripted = scriptedModel()
  yield* startWorker({ scripted, tools: source.tools([]) })
  const settled = (id: TaskId) =>
    eventually(tasks.find(id), ({ status }) => ["waiting_input", "completed", "failed"].includes(status))
  return {
    connection,
    scripted,
    tasks,
    settled,
    asked: (tool: string) =>
      Effect.gen(function*() {
        scripted.script(asks(call("one", `test__${tool}`, { day: "Monday" })), says("Done."))
        const { id } = yield* tasks.submit(request("Book a table"))
        return yield* settled(id)
      }),
    resultOf: (id: TaskId) =>
      Effect.map(tasks.messages(id), (messages) => messages.find(({ role }) => role === "tool")?.content ?? "")
  }
})

const form = {
  type: "object" as const,
  properties: {
    seats: { type: "integer" as const, minimum: 1, maximum: 8, title: "Seats" },
    where: { type: "string" as const, enum: ["inside", "outside"], default: "inside" },
    mail: { type: "string" as const, format: "email" as const }
  },
  required: ["seats"]
}

const booking: Server = {
  book: ({ responses, state }) =>
    responses === undefined
      ? inputRequired({
        inputRequests: { table: inputRequired.elicit({ message: "Which table?", requestedSchema: form }) },
        requestState: "s-1"
      })
      : text(`${state}: ${JSON.stringify(responses)}`)
}

const yesOrNo = { type: "object" as const, properties: { go: { type: "boolean" as const } }, required: ["go"] }

const sure = inputRequired.elicit({ message: "Sure?", requestedSchema: yesOrNo })

inWorld("A call that asks a person to fill in a form", (test) => {
  test("waits with the form, and is made again with the fields and its state", function*() {
    const { asked, resultOf, server, settled, tasks } = yield* makeBooking(booking)
    const task = yield* asked("book")
    assert.deepInclude(task, {
      status: "waiting_input",
      question:
        "The tool server test asks: Which table?\n\nFill in its form on the page of the task in the console: Seats, where, mail",
      form,
      url: null,
      choices: ["Decline", "Cancel"],
      last_tool_call_id: "one"
    })
    assert.strictEqual(task.waiting_for?.reason, "answer")
    const after = yield* tasks.answer(task.id, "", by, { fields: { seats: 4, mail: "a@example.org" } })
    assert.deepInclude(after, { status: "running", form: null })
    assert.strictEqual((yield* settled(task.id)).status, "completed")
    const content = { seats: 4, where: "inside", mail: "a@example.org" }
    assert.strictEqual(yield* resultOf(task.id), `s-1: ${JSON.stringify({ table: { action: "accept", content } })}`)
    assert.deepStrictEqual(server.rounds().map(({ args }) => args), [{ day: "Monday" }, { day: "Monday" }])
  })

  test("refuses fields that do not fit, and takes one of two answers", function*() {
    const { asked, settled, server, tasks } = yield* makeBooking(booking)
    const { id } = yield* asked("book")
    const refused = yield* Effect.flip(
      tasks.answer(id, "", by, { fields: { seats: 9.5, where: "roof", mail: "nobody", more: 1 } })
    )
    assert.deepInclude(refused, {
      _tag: "TaskRequestInvalid",
      errors: [
        { path: "fields.seats", message: "must be a whole number" },
        { path: "fields.where", message: "must be one of \"inside\", \"outside\"" },
        { path: "fields.mail", message: "must be a mail address, such as name@example.com" },
        { path: "fields.more", message: "is no field of the form" }
      ]
    })
    assert.deepInclude(yield* Effect.flip(tasks.answer(id, "four seats", by)), { _tag: "TaskRequestInvalid" })
    const both = yield* Effect.all(
      [1, 2].map((seats) => Effect.either(tasks.answer(id, "", by, { fields: { seats } }))),
      {
        concurrency: 2
      }
    )
    assert.sameMembers(both.map(({ _tag }) => _tag), ["Right", "Left"])
    const late = yield* Effect.flip(tasks.answer(id, "", by, { fields: { seats: 3 } }))
    assert.strictEqual(late._tag, "TaskStateConflict")
    assert.strictEqual((yield* settled(id)).status, "completed")
    assert.lengthOf(server.rounds(), 2)
  })

  test("is made again by another worker, over another connection, after its own has ended", function*() {
    const server = yield* askingServer(booking)
    const first = yield* Scope.make()
    const { asked } = yield* Scope.extend(makeWith(address("http", server.url)), first)
    const { id } = yield* asked("book")
    yield* Scope.close(first, Exit.void)
    const { resultOf, scripted, settled, tasks } = yield* makeWith(address("http", server.url))
    scripted.script(says("Done."))
    yield* tasks.answer(id, "", by, { fields: { seats: 3 } })
    assert.strictEqual((yield* settled(id)).status, "completed")
    assert.include(yield* resultOf(id), "s-1: ")
    assert.lengthOf(server.rounds(), 2)
  })

  test("is told a refusal and a cancel", function*() {
    const { asked, resultOf, settled, tasks } = yield* makeBooking(booking)
    for (const [answer, action] of [["Decline", "decline"], ["cancel", "cancel"]] as const) {
      const { id } = yield* asked("book")
      yield* tasks.message(id, answer, by)
      yield* settled(id)
      assert.strictEqual(yield* resultOf(id), `s-1: ${JSON.stringify({ table: { action } })}`)
    }
  })
})

inWorld("A tool server that asks", (test) => {
  test("again and again gets ten answers, and is then given up", function*() {
    const { asked, resultOf, server, settled, tasks } = yield* makeBooking({
      nag: ({ state = "0" }) =>
        inputRequired({
          inputRequests: { sure: inputRequired.elicit({ message: "Sure?", requestedSchema: yesOrNo }) },
          requestState: String(Number(state) + 1)
        })
    })
    let task = yield* asked("nag")
    const ids = new Set<string | null>()
    while (task.status === "waiting_input") {
      ids.add(task.last_tool_call_id)
      assert.deepStrictEqual(task.choices, ["Yes", "No", "Decline", "Cancel"])
      yield* tasks.answer(task.id, "Yes", by, { call: task.last_tool_call_id })
      task = yield* settled(task.id)
    }
    assert.lengthOf(ids, 10)
    assert.include(
      yield* resultOf(task.id),
      "Error: nag of the tool server test failed: it asks more than 10 questions"
    )
    assert.deepStrictEqual(
      server.rounds().map(({ state }) => state ?? "0"),
      Array.from({ length: 11 }, (_, n) => String(n))
    )
  })

  test("does not get an answer to its last question for its next one", function*() {
    const { asked, settled, tasks } = yield* makeBooking({
      twice: ({ state }) =>
        state === "2" ? text("Done") : inputRequired({
          inputRequests: { sure: inputRequired.elicit({ message: "Sure?", requestedSchema: yesOrNo }) },
          requestState: state === undefined ? "1" : "2"
        })
    })
    const first = yield* asked("twice")
    yield* tasks.answer(first.id, "Yes", by)
    const second = yield* settled(first.id)
    assert.strictEqual(second.status, "waiting_input")
    const late = yield* Effect.flip(tasks.answer(first.id, "Yes", by, { call: first.last_tool_call_id }))
    assert.strictEqual(late._tag, "TaskStateConflict")
  })

  test("two questions at once has both answered before the call is made again", function*() {
    const { asked, resultOf, server, settled, tasks } = yield* makeBooking({
      both: ({ responses }) =>
        responses === undefined
          ? inputRequired({
            inputRequests: {
              sure: inputRequired.elicit({ message: "Sure?", requestedSchema: yesOrNo }),
              page: inputRequired.elicitUrl({ message: "Pay", url: "https://pay.example.org/42?x=1" })
            }
          })
          : text(JSON.stringify(responses))
    })
    const { id } = yield* asked("both")
    yield* tasks.answer(id, "no", by)
    const page = yield* settled(id)
    assert.deepInclude(page, {
      form: null,
      url: "https://pay.example.org/42?x=1",
      choices: ["Done", "Decline", "Cancel"]
    })
    assert.include(page.question, "open a page at pay.example.org")
    assert.strictEqual((yield* Effect.flip(tasks.answer(id, "Why?", by)))._tag, "TaskRequestInvalid")
    yield* tasks.answer(id, "Done", by)
    yield* settled(id)
    const responses = { sure: { action: "accept", content: { go: false } }, page: { action: "accept" } }
    assert.strictEqual(yield* resultOf(id), JSON.stringify(responses))
    assert.lengthOf(server.rounds(), 2)
  })

  test("what must not be asked is refused, and nobody is asked", function*() {
    const ask = (message: string, properties: Record<string, { readonly type: "string" }>) =>
      inputRequired.elicit({ message, requestedSchema: { type: "object", properties } })
    const requests = {
      password: ask("Sign in", { password: { type: "string" } }),
      token: ask("Paste your personal access token", { text: { type: "string" } }),
      card: ask("Pay", { cardNumber: { type: "string" } }),
      key: ask("Connect", { api_key: { type: "string" } }),
      script: inputRequired.elicitUrl({ message: "Look", url: "javascript:alert(1)" }),
      user: inputRequired.elicitUrl({ message: "Look", url: "https://bank.example@evil.example/" })
    }
    const { asked, resultOf, server } = yield* makeBooking(
      Object.fromEntries(
        Object.entries(requests).map(([name, one]) => [name, () => inputRequired({ inputRequests: { one } })])
      )
    )
    for (const name of Object.keys(requests)) {
      const { id, status } = yield* asked(name)
      assert.strictEqual(status, "completed", name)
      assert.match(yield* resultOf(id), /^Error: .*(password, key, token or card number|address)/, name)
    }
    assert.lengthOf(server.rounds(), Object.keys(requests).length)
  })

  test("with a state of 1 MB is refused; one of 200 kB comes back as it was, whatever is in it", function*() {
    const state = `${"\u0000\ud83d\ude00 \"".repeat(1)}${"x".repeat(200_000)}`
    const { asked, resultOf, server, settled, tasks } = yield* makeBooking({
      large: () => inputRequired({ requestState: "x".repeat(1_048_576), inputRequests: { go: sure } }),
      small: (round) =>
        round.state === undefined ? inputRequired({ requestState: state, inputRequests: { go: sure } }) : text("ok")
    })
    const large = yield* asked("large")
    assert.match(yield* resultOf(large.id), /^Error: .*the state that it wants back has more than 256 kB/)
    const { id } = yield* asked("small")
    yield* tasks.answer(id, "Yes", by)
    yield* settled(id)
    assert.strictEqual(server.rounds().at(-1)?.state, state)
  })

  test("only for its state gets it back without a question", function*() {
    const { asked, resultOf } = yield* makeBooking({
      later: ({ state }) => state === undefined ? inputRequired({ requestState: "again" }) : text("ok")
    })
    const { id, status } = yield* asked("later")
    assert.strictEqual(status, "completed")
    assert.strictEqual(yield* resultOf(id), "ok")
  })
})

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
