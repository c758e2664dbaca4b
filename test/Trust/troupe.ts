import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Logger, LogLevel, Queue, Redacted, type Scope } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Pool } from "pg"
import * as roles from "../../src/apps/all.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { type Answer, post, request } from "../Http/RawHttp.ts"
import { layerSettings } from "../Http/TestServer.ts"
import { say, sendEvents } from "../support/ChatEvents.ts"
import { chatToken, type FakePlatform, makeChatPlatform, signingSecret } from "../support/ChatPlatform.ts"
import * as Database from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { type ImapServer, makeImapServer } from "../support/ImapServer.ts"
import { type Arrival, makeMailServer, password } from "../support/MailServer.ts"
import { freePort, until } from "../support/Processes.ts"
import { entry } from "../support/ToolServerFixture.ts"
import { makeWorlds, type Worlds } from "./worlds.ts"

export const webhookSecret = "a-secret-of-the-shop"

const skill = "---\nname: peek\ndescription: Looks into a file\n---\n\nRun peek.sh.\n"
/** Prints a file, or appends a text to one. */
const script = "#!/bin/sh\nif [ -n \"$2\" ]; then echo \"$2\" >> \"$1\"; else cat \"$1\"; fi\n"

/** A question that the test answers in its own way. */
export const ownQuestion = "Go on?"

/** The whole service in this process, with everything from which texts come and to which they go. */
export interface Troupe {
  readonly storage: string
  readonly skills: string
  readonly folder: string
  /** From which the tool server `other` reads how it describes its tools. */
  readonly definitions: string
  readonly port: number
  /** Mails that were sent so far. */
  readonly sent: () => ReadonlyArray<Arrival>
  readonly imap: ImapServer
  readonly platform: FakePlatform
  /** The tool server `worlds`. */
  readonly worlds: Worlds
  readonly query: <Row extends object>(
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>>
  /** Makes a task of the user by the API; yields its id. */
  readonly asks: (user: string, message: string, more?: object) => Effect.Effect<string>
  readonly writes: (message: Parameters<typeof say>[1]) => Effect.Effect<{ readonly ts: string }>
  /** Waits until everything that came in became a task, and all tasks have ended or ask. */
  readonly atRest: Effect.Effect<void>
  /** Waits until all tasks have ended. A person refuses whatever is asked, but for `ownQuestion`. */
  readonly ended: Effect.Effect<void>
  /** The same, of a person who approves whatever is asked. */
  readonly endedApproved: Effect.Effect<void>
}

export const givenFile = (path: string, content: string) =>
  Effect.promise(() =>
    mkdir(join(path, ".."), { recursive: true }).then(() => writeFile(path, content, { mode: 0o755 }))
  )

/** Sends a request again while a busy machine lets the service take its database for unavailable. */
export const untilAvailable = (answer: Effect.Effect<Answer>): Effect.Effect<Answer> =>
  Effect.flatMap(
    answer,
    (given) => given.status === 503 ? Effect.delay(untilAvailable(answer), "200 millis") : Effect.succeed(given)
  )

export const startTroupe = (
  modelUrl: string,
  given: Readonly<Record<string, string>> = {}
): Effect.Effect<Troupe, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const storage = join(folder, "files")
    const skills = join(folder, "skills")
    yield* givenFile(join(skills, "peek", "SKILL.md"), skill)
    yield* givenFile(join(skills, "peek", "scripts", "peek.sh"), script)
    const url = yield* Database.freshDatabase
    const platform = yield* makeChatPlatform
    const smtp = yield* makeMailServer({ hideSTARTTLS: true, allowInsecureAuth: true })
    const sent: Array<Arrival> = []
    yield* Effect.forkScoped(Effect.forever(Effect.map(Queue.take(smtp.arrivals), (mail) => sent.push(mail))))
    const imap = yield* makeImapServer
    const worlds = yield* makeWorlds
    const [port, runnerPort] = yield* Effect.all([freePort, freePort])
    const settings = Context.get(
      yield* Layer.build(layerSettings({
        PORT: String(port),
        RUNNER_PORT: String(runnerPort),
        DATABASE_URL: Redacted.value(url),
        DATA_DIR: folder,
        LOCAL_STORAGE_PATH: storage,
        SKILLS_PATH: skills,
        USE_LOCAL_MODEL: "true",
        LOCAL_MODEL_URL: modelUrl,
        AGENT_SOFT_ITERATIONS: "40",
        AGENT_HARD_ITERATIONS: "40",
        AGENT_RECURSION_LIMIT: "100",
        COMPACTION_THRESHOLD: "1000",
        AGENT_MAX_SKILLS: "0",
        MEMORY_AUTO_SAVE: "false",
        CHAT_API_URL: platform.url.href,
        CHAT_BOT_TOKEN: chatToken,
        CHAT_SIGNING_SECRET: signingSecret,
        CHAT_TASKS_PER_MINUTE: "1000",
        CHAT_TASKS_PER_HOUR: "10000",
        WEBHOOK_SECRET_SHOP: webhookSecret,
        SMTP_HOST: "127.0.0.1",
        SMTP_PORT: String(smtp.port),
        SMTP_SECURE: "false",
        SMTP_USER: "troupe",
        SMTP_PASSWORD: password,
        SMTP_FROM: "Troupe <troupe@example.org>",
        IMAP_HOST: "127.0.0.1",
        IMAP_PORT: String(imap.port),
        IMAP_SECURE: "false",
        IMAP_USER: "troupe",
        IMAP_PASSWORD: password,
        IMAP_CHECK: "1",
        INBOX_MAX_PER_SENDER: "1000",
        INBOX_MAX_UNKNOWN: "1000",
        INBOX_MAX_PER_HOUR: "1000",
        ...given
      })),
      Settings
    )
    yield* Layer.build(Layer.orDie(roles.layer(settings)))
    const definitions = join(folder, "definitions.json")
    yield* givenFile(definitions, "{}")
    yield* untilAvailable(post(port, "/api/mcp/configure", {
      mcpServers: {
        srv: entry(),
        other: { ...entry(), env: { DEFINITIONS: definitions } },
        worlds: { type: "http", url: worlds.url }
      }
    }))
    // An agent without the tools would write in its own words what it was to hear from them.
    yield* until(
      "the tool servers are connected",
      Effect.map(
        request(port, { path: "/api/mcp/status" }),
        ({ text }) => text.match(/"status":"connected"/g)?.length === 3
      ),
      "120 seconds"
    ).pipe(Effect.orDie)
    platform.state.user("ALICE", { name: "alice" })
    platform.state.user("GUEST", { name: "guest", is_restricted: true, profile: { email: "guest@elsewhere.example" } })
    platform.state.channel("GENERAL", { members: ["UTROUPE", "UALICE", "UGUEST"] })
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool({ connectionString: Redacted.value(url), max: 2 })),
      (pool) => Effect.promise(() => pool.end())
    )
    const query: Troupe["query"] = <Row extends object>(text: string, values: ReadonlyArray<unknown> = []) =>
      Effect.promise(() => pool.query<Row>(text, [...values]).then(({ rows }) => rows))
    const atRest = Effect.map(
      query<{ inbound: number; tasks: number; mails: number }>(`select
  (select count(*)::integer from inbound_messages where state not in ('done', 'failed')) as inbound,
  (select count(*)::integer from mail_ledger where outcome is not null) as mails,
  (select count(*)::integer from actors where status not in ('completed', 'failed', 'waiting_input')) as tasks`),
      ([left]) => left?.inbound === 0 && left.tasks === 0 && left.mails >= imap.mails.length
    )
    const asking = query<{ task_id: string; question: string; tool_call_id: string }>(
      "select task_id, question, last_tool_call_id as tool_call_id from actors where status = 'waiting_input'"
    )
    const answering = (response: "Approve" | "Deny") =>
      Effect.flatMap(asking, (tasks) =>
        Effect.as(
          Effect.forEach(
            tasks.filter(({ question }) => question !== ownQuestion),
            ({ task_id, tool_call_id }) => post(port, "/human_response", { task_id, tool_call_id, response }),
            { concurrency: 4 }
          ),
          tasks.length === 0
        ))
    const all = (one: Effect.Effect<boolean>, other: Effect.Effect<boolean>) =>
      Effect.zipWith(one, other, (first, second) => first && second)
    const troupe: Troupe = {
      storage,
      skills,
      folder,
      definitions,
      port,
      sent: () => sent,
      imap,
      platform,
      worlds,
      query,
      asks: (user, message, more = {}) =>
        Effect.map(untilAvailable(post(port, "/chat", { message, user_id: user, ...more })), (answer) => {
          assert.strictEqual(answer.status, 202, answer.text)
          return (answer.json as { readonly task_id: string }).task_id
        }),
      writes: (message) =>
        Effect.suspend(() => {
          const { events, message: written } = say(platform, message)
          return Effect.as(sendEvents(`http://127.0.0.1:${port}/team-chat/dm_response`, events), written)
        }),
      atRest: Effect.orDie(until("all tasks have ended or ask", atRest, "120 seconds")),
      ended: Effect.orDie(until("all tasks have ended", all(answering("Deny"), atRest), "240 seconds")),
      endedApproved: Effect.orDie(until("all tasks have ended", all(answering("Approve"), atRest), "240 seconds"))
    }
    return troupe
  }).pipe(Effect.provide(Logger.minimumLogLevel(LogLevel.None)))
