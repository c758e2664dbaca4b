import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Logger, LogLevel, Redacted, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import { join } from "node:path"
import * as roles from "../../src/apps/all.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { layerSettings } from "../Http/TestServer.ts"
import type { ChatDouble, NewMessage, Person, Posted, Written } from "../support/ChatDoubles.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { freePort } from "../support/Processes.ts"

/** The whole service beside a chat platform, with the offline model: people tell it in lines what to do. */
export class Service extends Context.Tag("troupe/test/Chat/chatService/Service")<Service, {
  readonly double: ChatDouble
  readonly url: string
  readonly port: number
  readonly query: <Row extends object>(
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>>
}>() {}

export const start = (makeDouble: Effect.Effect<ChatDouble, never, Scope.Scope>) =>
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

export const tasks = Effect.flatMap(Service, ({ query }) =>
  query<TaskRecord>(
    `select t.id::text, description, a.status, continued_from::text, attachments
from tasks t join actors a on a.task_id = t.id order by t.id`
  ))

export const write = (message: NewMessage, delivery?: Parameters<ChatDouble["write"]>[2]) =>
  Effect.flatMap(Service, ({ double, url }) => double.write(url, message, delivery))

export const posts = Effect.flatMap(Service, ({ double }) => double.posts)

/** Waits for so many messages of ours. */
export const posted = (count: number) =>
  Effect.flatMap(Service, ({ double }) => eventually(double.posts, ({ length }) => length >= count))

export const choose = (question: Posted | undefined, choice: string, by: Person) =>
  Effect.flatMap(Service, ({ double, url }) => {
    assert(question !== undefined)
    return double.choose(url, question, choice, by)
  })

export const command = (by: Person, text: string) =>
  Effect.flatMap(Service, ({ double, url }) => double.command(url, by, text))

/** Waits until everything that came in is processed. */
export const processed = Effect.flatMap(Service, ({ query }) =>
  eventually(
    query<{ state: string }>("select state from inbound_messages"),
    (rows) => rows.every(({ state }) => state === "done")
  ))

/** Waits until nothing is on its way to the chat, so that no message of a test arrives in the next one. */
export const sent = Effect.flatMap(Service, ({ query }) =>
  eventually(
    query(
      "select from outbox where channel = 'chat' and (state = 'sending' or state = 'pending' and due_at <= now())"
    ),
    ({ length }) => length === 0
  ))

/** Waits until the only task, or the last one, has this status. */
export const lastTask = (status: string) =>
  Effect.map(
    Effect.flatMap(Effect.context<Service>(), (context) =>
      eventually(Effect.provide(tasks, context), (all) => all.at(-1)?.status === status)),
    (all) => {
      const last = all.at(-1)
      assert(last !== undefined)
      return last
    }
  )

export const mention = { by: "ada", room: "team", mentions: true } as const
export const direct = { by: "ada", room: "direct" } as const

export const uses = (tool: string, args: object): string => `use ${tool} ${JSON.stringify(args)}`

export const question = (...choices: ReadonlyArray<string>): string =>
  uses("ask_human", { question: "Which colour?", ...(choices.length === 0 ? {} : { choices }) })

/** To an address that the person has not written as it is, so that it needs approval. */
export const mail = uses("send_email", { to: "eva@elsewhere.example", subject: "Hello", body: "Hi" }).replace(
  "@",
  "\\u0040"
)

/** The calls of the task that ask for approval. */
export const callsOf = (id: string) =>
  Effect.flatMap(Service, ({ query }) =>
    Effect.map(
      query<{ tool_call_id: string }>("select tool_call_id from approvals where task_id = $1 order by id", [id]),
      (rows) => rows.map(({ tool_call_id }) => tool_call_id)
    ))

export const isReplyTo = (message: Written | undefined, found: Posted | undefined): void => {
  assert.strictEqual(found?.replyTo, message?.id)
  assert.isString(found?.replyTo)
}

export const empty = Effect.flatMap(
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

/** Declares a test; its body gets the number of posts before it. */
export type ChatTest = (title: string, body: Body) => void
