import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger, LogLevel, Redacted, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import { join } from "node:path"
import * as roles from "../../src/apps/all.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { post } from "../Http/RawHttp.ts"
import { layerSettings } from "../Http/TestServer.ts"
import type { ChatDouble, NewMessage, Person, Posted, Written } from "../support/ChatDoubles.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { freePort } from "../support/Processes.ts"

/** The whole service beside a chat platform, with the offline model: people tell it in lines what to do. */
class Service extends Context.Tag("troupe/test/Chat/chatSuite/Service")<Service, {
  readonly double: ChatDouble
  readonly url: string
  readonly port: number
  readonly query: <Row extends object>(
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>>
}>() {}

const start = (makeDouble: Effect.Effect<ChatDouble, never, Scope.Scope>) =>
  Effect.gen(function*() {
    const double = yield* makeDouble
    const folder = yield* freshFolder
    const database = yield* Database.freshDatabase
    const [port, runnerPort] = yield* Effect.all([freePort, freePort])
    const settings = Context.get(
      yield* Layer.build(layerSettings({
        PORT: String(port),
        RUNNER_PORT: String(runnerPort),
        DRAIN_SECONDS: "0",
        DATABASE_URL: Redacted.value(database),
        DATA_DIR: folder,
        LOCAL_STORAGE_PATH: join(folder, "files"),
        SKILLS_PATH: join(folder, "skills"),
        MEMORY_AUTO_SAVE: "false",
        CHAT_TASKS_PER_MINUTE: "1000",
        // Mails are approved, and wait in the outbox.
        SMTP_HOST: "127.0.0.1",
        SMTP_PORT: "9",
        SMTP_FROM: "Troupe <troupe@example.org>"
      })),
      Settings
    )
    yield* Layer.build(Layer.orDie(roles.layer(settings, double.adapter)))
    const query = <Row extends object>(text: string, values: ReadonlyArray<unknown> = []) =>
      Database.query<Row>(database, text, values)
    return Service.of({ double, port, url: `http://127.0.0.1:${port}`, query })
  }).pipe(Effect.provide(Logger.minimumLogLevel(LogLevel.None)))

interface TaskRecord {
  readonly id: string
  readonly description: string
  readonly status: string
  readonly continued_from: string | null
  readonly attachments: ReadonlyArray<string>
}

const tasks = Effect.flatMap(Service, ({ query }) =>
  query<TaskRecord>(
    `select t.id::text, description, a.status, continued_from::text, attachments
from tasks t join actors a on a.task_id = t.id order by t.id`
  ))

const write = (message: NewMessage, delivery?: Parameters<ChatDouble["write"]>[2]) =>
  Effect.flatMap(Service, ({ double, url }) => double.write(url, message, delivery))

const posts = Effect.flatMap(Service, ({ double }) => double.posts)

/** Waits for so many messages of ours. */
const posted = (count: number) =>
  Effect.flatMap(Service, ({ double }) => eventually(double.posts, ({ length }) => length >= count))

const choose = (question: Posted | undefined, choice: string, by: Person) =>
  Effect.flatMap(Service, ({ double, url }) => {
    assert(question !== undefined)
    return double.choose(url, question, choice, by)
  })

const command = (by: Person, text: string) =>
  Effect.flatMap(Service, ({ double, url }) => double.command(url, by, text))

/** Waits until everything that came in is processed. */
const processed = Effect.flatMap(Service, ({ query }) =>
  eventually(
    query<{ state: string }>("select state from inbound_messages"),
    (rows) => rows.every(({ state }) => state === "done")
  ))

/** Waits until nothing is on its way to the chat, so that no message of a test arrives in the next one. */
const sent = Effect.flatMap(Service, ({ query }) =>
  eventually(
    query(
      "select from outbox where channel = 'chat' and (state = 'sending' or state = 'pending' and due_at <= now())"
    ),
    ({ length }) => length === 0
  ))

/** Waits until the only task, or the last one, has this status. */
const lastTask = (status: string) =>
  Effect.map(
    Effect.flatMap(Effect.context<Service>(), (context) =>
      eventually(Effect.provide(tasks, context), (all) => all.at(-1)?.status === status)),
    (all) => {
      const last = all.at(-1)
      assert(last !== undefined)
      return last
    }
  )

const mention = { by: "ada", room: "team", mentions: true } as const
const direct = { by: "ada", room: "direct" } as const

const uses = (tool: string, args: object): string => `use ${tool} ${JSON.stringify(args)}`

const question = (...choices: ReadonlyArray<string>): string =>
  uses("ask_human", { question: "Which colour?", ...(choices.length === 0 ? {} : { choices }) })

/** To an address that the person has not written as it is, so that it needs approval. */
const mail = uses("send_email", { to: "eva@elsewhere.example", subject: "Hello", body: "Hi" }).replace("@", "\\u0040")

/** The calls of the task that ask for approval. */
const callsOf = (id: string) =>
  Effect.flatMap(Service, ({ query }) =>
    Effect.map(
      query<{ tool_call_id: string }>("select tool_call_id from approvals where task_id = $1 order by id", [id]),
      (rows) => rows.map(({ tool_call_id }) => tool_call_id)
    ))

const isReplyTo = (message: Written | undefined, found: Posted | undefined): void => {
  assert.strictEqual(found?.replyTo, message?.id)
  assert.isString(found?.replyTo)
}

const empty = Effect.flatMap(
  Service,
  ({ query }) =>
    query(
      `truncate tasks, approvals, task_threads, actors, steps, inbox, inbound_messages, chat_claims, outbox, notifications,
    schedules`
    )
)

type Body = (
  before: number
) => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope | Service>>, unknown, never>

/** What holds for the team chat, whichever platform it is on. */
export const chatSuite = (name: string, makeDouble: Effect.Effect<ChatDouble, never, Scope.Scope>): void =>
  layer(Layer.scoped(Service, start(makeDouble)), { excludeTestServices: true, timeout: "60 seconds" })(name, (it) => {
    const test = (title: string, body: Body) =>
      it.scoped(title, () =>
        Effect.gen(function*() {
          yield* empty
          const before = (yield* posts).length
          yield* Effect.gen(() => body(before))
          yield* processed
          yield* sent
        }))

    test(
      "a mention starts one task, however often it is delivered, and its result is posted in its thread",
      function*(before) {
        const written = yield* write({ ...mention, text: "list what there is\nuse list_directory {}" }, { times: 3 })
        yield* processed
        const result = (yield* posted(before + 1))[before]
        isReplyTo(written, result)
        assert.include(result?.text, "list_directory: ok")
        assert.lengthOf(yield* tasks, 1)
        assert.lengthOf(yield* posts, before + 1)
      }
    )

    test("a request that the platform has not signed does nothing", function*(before) {
      const { query } = yield* Service
      yield* write({ ...mention, text: "list what there is" }, { isForged: true })
      assert.deepStrictEqual(yield* query("select from inbound_messages"), [])
      assert.lengthOf(yield* posts, before)
    })

    test("what is said to others in a channel starts nothing, nor what a bot says", function*(before) {
      yield* write({ by: "bob", room: "team", text: "has anybody seen the offers?" })
      yield* write({ by: "robot", room: "team", text: "loop", mentions: true })
      yield* processed
      assert.deepStrictEqual(yield* tasks, [])
      assert.lengthOf(yield* posts, before)
    })

    test("a direct message starts a task, and the next one continues it", function*(before) {
      yield* write({ ...direct, text: "write a poem" })
      const first = (yield* posted(before + 1))[before]
      assert.strictEqual(first?.room, "direct")
      const { id } = yield* lastTask("completed")
      yield* write({ ...direct, text: "shorter, please" })
      yield* posted(before + 2)
      assert.deepInclude(yield* lastTask("completed"), { description: "shorter, please", continued_from: id })
    })

    test("a direct message that begins with new: starts another task", function*(before) {
      yield* write({ ...direct, text: "write a poem" })
      yield* posted(before + 1)
      yield* write({ ...direct, text: "new: write a story" })
      yield* posted(before + 2)
      assert.deepInclude(yield* lastTask("completed"), { description: "write a story", continued_from: null })
    })

    test("a reply to a result continues its task, without a mention", function*(before) {
      yield* write({ ...mention, text: "write a poem" })
      const result = (yield* posted(before + 1))[before]
      const { id } = yield* lastTask("completed")
      assert(result !== undefined)
      yield* write({ by: "bob", room: "team", text: "and a title", replyTo: result })
      yield* posted(before + 2)
      assert.deepInclude(yield* lastTask("completed"), { description: "and a title", continued_from: id })
    })

    test("a question is posted in the thread to who must answer, and a reply answers it", function*(before) {
      const written = yield* write({ ...mention, text: question() })
      const asked = (yield* posted(before + 1))[before]
      isReplyTo(written, asked)
      assert.match(asked?.text ?? "", /^(?:<@UADA>|@11) Which colour\?/)
      assert(asked !== undefined)
      yield* write({ ...mention, mentions: false, text: "blue", replyTo: asked })
      const result = (yield* posted(before + 2))[before + 1]
      assert.include(result?.text, "ask_human: ok: blue")
      assert.lengthOf(yield* tasks, 1)
    })

    test("a direct message answers the question of its conversation", function*(before) {
      yield* write({ ...direct, text: question() })
      yield* posted(before + 1)
      yield* write({ ...direct, text: "blue" })
      assert.include((yield* posted(before + 2))[before + 1]?.text, "ask_human: ok: blue")
      assert.lengthOf(yield* tasks, 1)
    })

    test("a choice answers the question, which then shows who has chosen what", function*(before) {
      yield* write({ ...mention, text: question("Red", "Dark blue") })
      yield* posted(before + 1)
      yield* lastTask("waiting_input")
      yield* eventually(posts, (all) => all[before] !== undefined)
      yield* choose((yield* posts)[before], "Dark blue", "ada")
      assert.include((yield* posted(before + 2))[before + 1]?.text, "ask_human: ok: Dark blue")
      const { double } = yield* Service
      yield* eventually(double.posts, (all) => /Answered by [Aa]da.*: Dark blue/.test(all[before]?.text ?? ""))
    })

    test("a mail is sent once who gave the task has chosen so, and nobody else may", function*(before) {
      const { query } = yield* Service
      const sent = query("select from outbox where channel = 'email'")
      yield* write({ ...mention, text: mail })
      const asked = (yield* posted(before + 1))[before]
      yield* lastTask("waiting_input")
      yield* choose(asked, "Send", "bob")
      yield* processed
      assert.deepStrictEqual(yield* sent, [])
      yield* lastTask("waiting_input")
      yield* choose(asked, "Send", "ada")
      yield* lastTask("completed")
      assert.lengthOf(yield* sent, 1)
    })

    test("a mail is not sent by a word beside the question", function*(before) {
      const { query } = yield* Service
      yield* write({ ...direct, text: mail })
      yield* posted(before + 1)
      yield* lastTask("waiting_input")
      yield* write({ ...direct, text: "Send" })
      assert.include((yield* posted(before + 2))[before + 1]?.text, "I did not send anything yet")
      assert.deepStrictEqual(yield* query("select from outbox where channel = 'email'"), [])
      yield* lastTask("waiting_input")
    })

    test("calls that ask are shown with what was decided about each, wherever that was", function*(before) {
      const { double, port } = yield* Service
      yield* write({ ...mention, text: `${mail}\n${mail}` })
      yield* posted(before + 1)
      const { id } = yield* lastTask("waiting_input")
      const decide = (calls: ReadonlyArray<object>) => post(port, `/task/${id}/approvals`, { decisions: calls })
      const shows = (...lines: ReadonlyArray<RegExp>) =>
        eventually(double.posts, (all) => lines.every((line) => line.test(all[before]?.text ?? "")))
      const [one = "", two = ""] = yield* callsOf(id)
      yield* decide([{ tool_call_id: two, decision: "deny", reason: "not him" }])
      yield* shows(/^1\. send_email: open$/m, /^2\. send_email: denied by .*: not him$/m)
      yield* decide([{ tool_call_id: one, decision: "approve" }])
      yield* lastTask("completed")
      yield* shows(/^1\. send_email: approved by /m, /^2\. send_email: denied by .*: not him$/m)
    })

    test("a task that is cancelled closes the message about its calls", function*(before) {
      const { double, port } = yield* Service
      yield* write({ ...mention, text: mail })
      yield* posted(before + 1)
      const { id } = yield* lastTask("waiting_input")
      yield* post(port, `/task/${id}/cancel`, {})
      yield* eventually(double.posts, (all) => all[before]?.text.includes("the task was cancelled") === true)
    })

    test("a typed word decides only where one call is open", function*(before) {
      const { port, query } = yield* Service
      yield* write({ ...mention, text: `${mail}\n${mail}` })
      const asked = (yield* posted(before + 1))[before]
      const { id } = yield* lastTask("waiting_input")
      assert(asked !== undefined)
      const say = (text: string) => write({ by: "ada", room: "team", text, replyTo: asked })
      yield* say("Approve")
      assert.include((yield* posted(before + 2))[before + 1]?.text, "2 calls are open")
      yield* say("deny")
      assert.include((yield* posted(before + 3))[before + 2]?.text, "2 calls are open")
      const [one = ""] = yield* callsOf(id)
      yield* post(port, `/task/${id}/approvals`, { decisions: [{ tool_call_id: one, decision: "deny" }] })
      yield* say("approve")
      yield* lastTask("completed")
      assert.lengthOf(yield* query("select from outbox where channel = 'email'"), 1)
    })

    test("a message in the thread reaches the running agent", function*(before) {
      yield* write({ ...direct, text: `${question()}\n\n${uses("wait", { seconds: 600 })}` })
      const asked = (yield* posted(before + 1))[before]
      assert(asked !== undefined)
      yield* write({ ...direct, text: "blue", replyTo: asked })
      const { query } = yield* Service
      yield* eventually(
        query(
          "select from actors where status = 'running' and runner is null and wake_at > now() + interval '1 minute'"
        ),
        ({ length }) => length > 0
      )
      yield* write({ ...direct, text: "use list_directory {}", replyTo: asked })
      assert.include((yield* posted(before + 2))[before + 1]?.text, "list_directory: ok")
      assert.lengthOf(yield* tasks, 1)
    })

    test("files come with the request, and with the result", function*(before) {
      const file = { name: "offers.csv", content: "a;b" }
      const written = yield* write({
        ...mention,
        text: `${uses("write_file", { path: "report.md", content: "# Hi" })}\n\n${
          uses("attach_file", { path: "report.md" })
        }`,
        file
      })
      const all = yield* posted(before + 2)
      const [result, shared] = [all[before], all[before + 1]]
      isReplyTo(written, result)
      isReplyTo(written, shared)
      assert.deepStrictEqual(shared?.files.map(({ name }) => name), ["report.md"])
      assert.match((yield* tasks)[0]?.attachments[0] ?? "", /^team-chat\/[^/]+\/\w+-offers\.csv$/)
    })

    test("a long result comes whole, in parts", function*(before) {
      const words = Array.from({ length: 1_500 }, (_, at) => `word${at}`).join(" ")
      yield* write({ ...direct, text: uses("ask_human", { question: words }) })
      const said = (all: ReadonlyArray<Posted>) =>
        all.slice(before).map(({ text }) => text).join("").replaceAll(/\s/g, "")
      const { double } = yield* Service
      const all = yield* eventually(double.posts, (found) => said(found).includes(words.replaceAll(" ", "")))
      assert.isAtLeast(all.length, before + 2)
    })

    test("a reminder is confirmed, and comes where it was asked for", function*(before) {
      const { port, query } = yield* Service
      const written = yield* write({ ...mention, text: "remind me to drink every day at 9" })
      const confirmed = (yield* posted(before + 1))[before]
      isReplyTo(written, confirmed)
      assert.match(confirmed?.text ?? "", /I will remind you regularly: \*?drink\*?\. The rule is `every day at 9`/)
      const [planned] = yield* query<{ id: string }>("select id::text from schedules")
      yield* post(port, `/api/schedules/${planned?.id}/run`, {})
      const reminder = (yield* posted(before + 2))[before + 1]
      assert.strictEqual(reminder?.room, "team")
      assert.match(reminder?.text ?? "", /Reminder: drink/)
      assert.deepStrictEqual(yield* tasks, [])
    })

    test("a time that can't be read makes no schedule and no task, and is explained", function*(before) {
      const { query } = yield* Service
      yield* write({ ...direct, text: "schedule the report at blurgh" })
      assert.include((yield* posted(before + 1))[before]?.text, "I did not schedule anything")
      assert.deepStrictEqual(yield* query("select from schedules"), [])
      assert.deepStrictEqual(yield* tasks, [])
    })

    test("a scheduled task posts its result where it was asked for", function*(before) {
      const { port, query } = yield* Service
      yield* write({ ...direct, text: "schedule write a poem every monday at 8" })
      yield* posted(before + 1)
      const [planned] = yield* query<{ id: string }>("select id::text from schedules")
      yield* post(port, `/api/schedules/${planned?.id}/run`, {})
      assert.strictEqual((yield* posted(before + 2))[before + 1]?.room, "direct")
      const { id } = yield* lastTask("completed")
      yield* write({ ...direct, text: "with a chart" })
      yield* posted(before + 3)
      assert.deepInclude(yield* lastTask("completed"), { continued_from: id })
    })

    test("commands list, show, answer and cancel tasks", function*(before) {
      assert.include(yield* command("bob", "help"), "lists your latest tasks")
      assert.include(yield* command("bob", "tasks"), "You have no tasks yet.")
      yield* write({ by: "bob", room: "direct", text: question() })
      const { double } = yield* Service
      yield* eventually(double.posts, (all) => all.slice(before).some(({ text }) => text.includes("Which colour?")))
      const { id } = yield* lastTask("waiting_input")
      assert.include(yield* command("bob", "tasks"), id.slice(-8))
      assert.include(yield* command("bob", `status ${id.slice(-8)}`), "Which colour?")
      assert.include(yield* command("bob", `answer ${id.slice(-8)} blue`), "Thanks.")
      yield* lastTask("completed")
      yield* write({ by: "bob", room: "direct", text: `new: ${question()}` })
      const next = yield* lastTask("waiting_input")
      assert.include(yield* command("bob", `cancel ${next.id}`), "cancelled")
      yield* lastTask("failed")
    })

    test("an empty request is answered with help", function*(before) {
      yield* write({ ...mention, text: "" })
      const { double } = yield* Service
      // The end of an earlier task may be posted beside it.
      yield* eventually(
        double.posts,
        (all) => all.slice(before).some(({ text }) => text.includes("Tell me what you need"))
      )
      assert.deepStrictEqual(yield* tasks, [])
    })

    test("a message whose answer the platform loses is not posted twice", function*(before) {
      const { double, query } = yield* Service
      double.loseNextAnswer()
      yield* write({ ...direct, text: "write a poem" })
      yield* lastTask("completed")
      yield* eventually(
        query<{ attempts: number; state: string }>("select attempts, state from outbox where channel = 'chat'"),
        (rows) => rows.some(({ attempts, state }) => attempts > 0 && state !== "sending")
      )
      assert.lengthOf(yield* posts, before + 1)
    })
  })
