import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Queue, type Redacted, type Scope } from "effect"
import { say, signed } from "../support/ChatEvents.ts"
import { chatToken, type FakePlatform, makeChatPlatform, signingSecret } from "../support/ChatPlatform.ts"
import { botUserId } from "../support/ChatPlatformState.ts"
import { query } from "../support/Database.ts"
import { allEnded, haveShards, makeDeployment, makePorts, shortLeases } from "../support/Deployment.ts"
import { makeImapServer } from "../support/ImapServer.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { start, type TimedOut, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

/** Work that is long enough to be interrupted, and that leaves a file. */
const work = (file: string): string =>
  [
    "use wait {\"seconds\": 4}",
    `use write_file {"path": "${file}", "content": "made for ${file}"}`,
    `use attach_file {"path": "${file}"}`
  ].join("\n\n")

const times = 5

const post = (port: number, path: string, body: string, headers: Record<string, string> = {}) =>
  HttpClientRequest.post(`http://127.0.0.1:${port}${path}`).pipe(
    HttpClientRequest.bodyText(body, "application/json"),
    HttpClientRequest.setHeaders(headers),
    HttpClient.execute,
    Effect.flatMap(({ status, text }) => Effect.map(text, (answer) => ({ status, answer }))),
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.scoped
  )

const mention = (platform: FakePlatform, port: number) =>
  Effect.gen(function*() {
    const user = platform.state.user("ADA", { profile: { email: "ada@example.org" } })
    const channel = platform.state.channel("GENERAL", { members: [user.id, botUserId] })
    const { events, message } = say(platform, {
      channel: channel.id,
      user: user.id,
      text: `<@${botUserId}> ${work("chat.txt")}`
    })
    const deliveries = Array.from({ length: times }, () => events).flat()
    yield* Effect.forEach(deliveries, (event, index) =>
      Effect.gen(function*() {
        const body = JSON.stringify({ type: "event_callback", team_id: "T0TEAM", ...event })
        const retry: Record<string, string> = index < events.length ? {} : { "x-slack-retry-num": "1" }
        const { status } = yield* post(port, "/team-chat/dm_response", body, { ...yield* signed(body), ...retry })
        assert.strictEqual(status, 200)
      }))
    return { channel: channel.id, ts: message.ts }
  })

const mail = [
  "From: Bela <bela@example.org>",
  "To: troupe@example.org",
  "Subject: A file, please",
  "Message-ID: <one@example.org>",
  "Date: Sun, 22 Nov 2026 10:00:00 +0000",
  "Content-Type: text/plain; charset=utf-8",
  "",
  ...work("mail.txt").split("\n"),
  ""
].join("\r\n")

const webhook = JSON.stringify({ action: "opened", sender: { login: "cleo" }, repository: { name: "site" } })

const rows = (url: Redacted.Redacted) =>
  query<{ id: string; source: string; status: string; creator: string }>(
    url,
    `select t.id::text, t.source, a.status, t.creator from tasks t join actors a on a.task_id = t.id order by t.source`
  )

const nothingToSend = (url: Redacted.Redacted): Effect.Effect<void, TimedOut> =>
  until(
    "the outbox is empty",
    Effect.map(query(url, "select from outbox where state in ('pending', 'sending')"), ({ length }) => length === 0),
    "60 seconds"
  )

const untilStarted = (url: Redacted.Redacted, count: number) =>
  until(
    `${count} tasks are at work`,
    Effect.map(
      query(url, "select from actors where started_at is not null"),
      ({ length }) => length === count
    ),
    "40 seconds"
  )

const scenario: Effect.Effect<void, unknown, Scope.Scope> = Effect.gen(function*() {
  const platform = yield* makeChatPlatform
  const smtp = yield* makeMailServer({ hideSTARTTLS: true, allowInsecureAuth: true })
  const imap = yield* makeImapServer
  const deployment = yield* makeDeployment()
  const settings = imap.settings()
  const environment = {
    ...deployment.environment,
    ...shortLeases,
    CHAT_API_URL: platform.url.href,
    CHAT_BOT_TOKEN: chatToken,
    CHAT_SIGNING_SECRET: signingSecret,
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: smtp.port,
    SMTP_SECURE: "false",
    SMTP_USER: "troupe",
    SMTP_PASSWORD: password,
    SMTP_FROM: "Troupe <troupe@example.org>",
    IMAP_HOST: settings.host,
    IMAP_PORT: imap.port,
    IMAP_SECURE: "false",
    IMAP_USER: "troupe",
    IMAP_PASSWORD: password,
    IMAP_CHECK: 1,
    SCHEDULER_INTERVAL: 1
  }
  const allPorts = yield* Effect.all([makePorts, makePorts, makePorts])
  const [api, one, other] = allPorts
  yield* start("api", { ...environment, ...api.environment })
  const first = yield* start("worker", { ...environment, ...one.environment })
  yield* start("worker", { ...environment, ...other.environment })
  yield* haveShards(deployment.url, [one.address, other.address])

  const client = taskClient(api.http)
  const thread = yield* mention(platform, api.http)
  for (let time = 0; time < times; time++) {
    imap.deliver(mail)
    const { status } = yield* post(api.http, "/webhook/code-host", webhook, { "x-github-delivery": "delivery-1" })
    assert.strictEqual(status, 200)
  }
  // A schedule posts only in channels that the service knows.
  assert.strictEqual((yield* client.send("POST", `/api/channels/${thread.channel}/sync`)).status, 200)
  const schedule = { message: work("schedule.txt"), at: "in 1 hour", channel_id: thread.channel }
  assert.strictEqual((yield* client.send("POST", "/api/schedules", schedule)).status, 201)
  yield* query(deployment.url, "update schedules set next_run_at = clock_timestamp()")

  yield* untilStarted(deployment.url, 4)
  yield* first.signal("SIGKILL")
  yield* allEnded(deployment.url, "60 seconds")
  yield* nothingToSend(deployment.url)

  const made = yield* rows(deployment.url)
  assert.deepStrictEqual(made.map(({ source, status }) => [source, status]), [
    ["chat", "completed"],
    ["email", "completed"],
    ["schedule", "completed"],
    ["webhook", "completed"]
  ])
  assert.deepStrictEqual(yield* query(deployment.url, "select from outbox where state = 'failed'"), [])

  // Each completion is at its origin, once, with its file.
  const posts = platform.state.messages.filter(({ user }) => user === botUserId)
  const filesOf = (inThread: boolean) =>
    posts.filter(({ thread_ts }) => (thread_ts === thread.ts) === inThread).flatMap(({ files }) =>
      files.map(({ content, name }) => [name, content?.toString()])
    )
  assert.deepStrictEqual(filesOf(true), [["chat.txt", "made for chat.txt"]])
  assert.deepStrictEqual(filesOf(false), [["schedule.txt", "made for schedule.txt"]])
  assert.strictEqual(smtp.count(), 1)
  const arrived = yield* Queue.take(smtp.arrivals)
  assert.deepStrictEqual(arrived.to, ["bela@example.org"])
  const answer = yield* arrived.mail
  assert.strictEqual(answer.inReplyTo, "<one@example.org>")
  assert.deepStrictEqual(answer.attachments.map(({ filename }) => filename), ["mail.txt"])
  const byWebhook = made.find(({ source }) => source === "webhook")
  const feed = yield* query(deployment.url, "select from notifications where task_id = $1", [byWebhook?.id])
  assert.strictEqual(feed.length, 1)
})

it.scopedLive(
  "One mention, one mail, one webhook and one schedule, each delivered five times while a worker is killed, are four "
    + "tasks, and each answer arrives once where its request came from",
  () => scenario,
  180_000
)
