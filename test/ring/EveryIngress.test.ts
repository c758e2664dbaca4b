import { assert, it } from "@effect/vitest"
import { Effect, Queue, Redacted, type Scope } from "effect"
import { Client } from "pg"
import { chatToken, makeChatPlatform, signingSecret } from "../support/ChatPlatform.ts"
import { botUserId } from "../support/ChatPlatformState.ts"
import { query } from "../support/Database.ts"
import { allEnded, haveShards, makeDeployment, makePorts, shortLeases } from "../support/Deployment.ts"
import { makeImapServer } from "../support/ImapServer.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { freePort, start, type TimedOut, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"
import { burst, mail, mention, receive, receiveBurst, times, types, webhook, work } from "./ingressDoors.ts"

const rows = (url: Redacted.Redacted) =>
  query<{ id: string; source: string; status: string; creator: string }>(
    url,
    `select t.id::text, t.source, a.status, t.creator from tasks t join actors a on a.task_id = t.id
where coalesce(t.webhook_type, '') <> all ($1) order by t.source`,
    [types]
  )

/** How many webhooks are in each state. */
const states = (url: Redacted.Redacted) =>
  Effect.map(
    query<{ state: string; count: number }>(
      url,
      "select state, count(*)::integer as count from inbound_messages where source = 'webhook' group by 1"
    ),
    (found): Readonly<Record<string, number>> => Object.fromEntries(found.map(({ count, state }) => [state, count]))
  )

/** All of them: that of the code host, which was sent several times, and the burst. */
const webhooks = burst + 1

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

/** Lets no task be made meanwhile. */
const whileTasksAreLocked = <A, E>(url: Redacted.Redacted, effect: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: Redacted.value(url) })
      await client.connect()
      await client.query("begin")
      await client.query("lock table tasks in share mode")
      return client
    }),
    () => effect,
    (client) => Effect.promise(() => client.end())
  )

/** More than one process takes at once. */
const claimsOfTwo = 33

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
  const ingestor = yield* freePort
  yield* start("ingestor", { ...environment, INGESTOR_PORT: ingestor })
  const ids = yield* Effect.replicateEffect(receive(ingestor, "code-host", "delivery-1", webhook), times)
  assert.strictEqual(new Set(ids).size, 1)
  assert.deepStrictEqual(yield* states(deployment.url), { pending: 1 }, "the ingestor needs no worker")

  const [all, other] = yield* Effect.all([makePorts, makePorts])
  const [, killed] = yield* Effect.all([
    start("all", { ...environment, ...all.environment }),
    start("worker", { ...environment, ...other.environment })
  ], { concurrency: 2 })
  yield* haveShards(deployment.url, [all.address, other.address])

  const client = taskClient(all.http)
  const thread = yield* mention(platform, all.http)
  for (let time = 0; time < times; time++) imap.deliver(mail)
  // A schedule posts only in channels that the service knows.
  assert.strictEqual((yield* client.send("POST", `/api/channels/${thread.channel}/sync`)).status, 200)
  const schedule = { message: work("schedule.txt"), at: "in 1 hour", channel_id: thread.channel }
  assert.strictEqual((yield* client.send("POST", "/api/schedules", schedule)).status, 201)
  yield* query(deployment.url, "update schedules set next_run_at = clock_timestamp()")

  yield* untilStarted(deployment.url, 4)
  // It is killed between its claim of messages and their tasks.
  const first = yield* whileTasksAreLocked(
    deployment.url,
    Effect.gen(function*() {
      const ids = yield* receiveBurst(ingestor, burst)
      const claimed = Effect.map(states(deployment.url), ({ processing = 0 }) => processing >= claimsOfTwo)
      yield* until("both processes have claimed messages", claimed)
      yield* killed.signal("SIGKILL")
      yield* killed.ended
      return ids
    })
  )
  assert.deepStrictEqual(yield* receiveBurst(ingestor, 20), first.slice(0, 20))
  yield* until("all are tasks", Effect.map(states(deployment.url), ({ done = 0 }) => done === webhooks), "120 seconds")
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
  const [counts] = yield* query<{ tasks: number; payloads: number; linked: number }>(
    deployment.url,
    `select count(*)::integer as tasks, count(distinct t.webhook_payload)::integer as payloads,
  count(m.id)::integer as linked
from tasks t left join inbound_messages m on m.task_id = t.id where t.source = 'webhook'`
  )
  assert.deepStrictEqual(counts, { tasks: webhooks, payloads: webhooks, linked: webhooks })
})

it.scopedLive(
  "A mention, a mail, a webhook and a schedule, each delivered five times, and a burst of webhooks are one task each "
    + "although a worker is killed, and each answer arrives once where its request came from",
  () => scenario,
  180_000
)
