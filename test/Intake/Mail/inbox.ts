import type { TaskId } from "@troupe/domain/Ids"
import { Duration, Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import { Outbox } from "../../../src/Delivery/Outbox.ts"
import { Reminders } from "../../../src/Delivery/Reminders.ts"
import type { InboxRules } from "../../../src/Intake/Mail/InboxMails.ts"
import { type InboxMonitorOptions, makeCheck } from "../../../src/Intake/Mail/InboxMonitor.ts"
import { Senders } from "../../../src/People/Team/Senders.ts"
import { TeamRepo } from "../../../src/People/Team/TeamRepo.ts"
import { TaskThreads } from "../../../src/Task/Read/TaskThreads.ts"
import { Tasks } from "../../../src/Task/UseCase/Tasks.ts"
import type { ImapSettings } from "../../../src/Wire/ImapClient.ts"
import * as ImapClient from "../../../src/Wire/ImapClient.ts"
import { makeImapServer } from "../../support/ImapServer.ts"
import { Wire } from "../../support/TaskWorld.ts"

export const rules: InboxRules = {
  ownAddresses: ["troupe@example.org"],
  maxPerSender: 10,
  maxUnknown: 30,
  maxPerHour: 200,
  trustedAuthserv: Option.none(),
  console: new URL("https://troupe.example/console/")
}

interface Setup extends Partial<InboxMonitorOptions> {
  readonly isHosted?: boolean
  readonly ca?: string
}

/** The mailbox of a mail server, over the world's tasks. */
export const inboxLayer = (settings: ImapSettings, { ca, isHosted = false }: Setup = {}) =>
  Layer.mergeAll(
    Layer.provideMerge(Reminders.layer, Outbox.layer),
    TaskThreads.layer,
    isHosted ? Layer.provide(Senders.layerTeam, TeamRepo.layer) : Senders.layer,
    ImapClient.layer(settings, ca === undefined ? {} : { ca })
  )

/** A check of the inbox, which waits for no announcement unless `interval` says so, and may be repeated. */
export const makeChecks = (settings: ImapSettings, setup: Setup = {}) => {
  const options = { interval: Duration.zero, firstPause: Duration.zero, ...rules, ...setup }
  return Effect.gen(function*() {
    const services = yield* Layer.build(inboxLayer(settings, setup))
    return Effect.provide(yield* Effect.provide(makeCheck(options), services), services)
  })
}

/** One check of the inbox. */
export const check = (settings: ImapSettings, setup: Setup = {}) =>
  Effect.scoped(Effect.flatten(makeChecks(settings, setup)))

let mailboxes = 0

/** One check of a new mailbox with these unread mails; yields its server. */
export const received = (mails: ReadonlyArray<string>, setup: Setup = {}) =>
  Effect.gen(function*() {
    const server = yield* makeImapServer
    mailboxes++
    for (let n = 0; n < mailboxes; n++) server.renumber()
    for (const mail of mails) server.deliver(mail)
    yield* check(server.settings(), setup)
    return server
  })

export interface TaskRows {
  readonly id: string
  readonly title: string
  readonly creator: string
  readonly description: string
  readonly context: string | null
  readonly attachments: ReadonlyArray<string>
  readonly source: string | null
  readonly reply_channel: string | null
  readonly reply_to: string | null
  readonly continued_from: string | null
}

export const taskRows = Effect.flatMap(Wire, ({ query }) => query<TaskRows>("select * from tasks order by id"))

export const outcomes = Effect.flatMap(
  Wire,
  ({ query }) => query<{ outcome: string | null }>("select outcome from mail_ledger order by uid_validity, uid")
).pipe(Effect.map((rows) => rows.map(({ outcome }) => outcome)))

/** A mail as text, with the headers of an ordinary one. */
export const mailText = (body: string, headers: Readonly<Record<string, string>> = {}): string =>
  [
    ...Object.entries({
      From: "Ada <ada@example.net>",
      To: "troupe@example.org",
      Subject: "The report",
      "Message-ID": `<${randomUUID()}@example.net>`,
      ...headers
    }).flatMap(([name, value]) => value === "" ? [] : [`${name}: ${value}`]),
    "",
    body
  ].join("\r\n")

/** A mail with two files of one name. */
export const withFile = (body: string, name: string, content: string, headers: Readonly<Record<string, string>> = {}) =>
  mailText(
    `--x\nContent-Type: text/plain\n\n${body}\n--x\nContent-Type: application/octet-stream\n`
      + `Content-Disposition: attachment; filename="${name}"\n\n${content}\n--x\nContent-Type: text/plain\n`
      + `Content-Disposition: attachment; filename="${name}"\n\nSecond\n--x--\n`,
    { "Content-Type": "multipart/mixed; boundary=x", ...headers }
  )

export const alice = "alice@example.net"

/** A task of Alice to which a mail of ours with this Message-ID belongs. */
export const inThread = (id: TaskId) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("insert into task_threads values ('email', '<ours@example.org>', $1)", [id])
    yield* query(
      "insert into users (id, name, email) values ('alice', 'Alice', $1) on conflict (id) do update set email = $1",
      [alice]
    )
    return id
  })

export const answering = { From: `Alice <${alice}>`, "In-Reply-To": "<ours@example.org>" }
export const quoted = "\n\nOn Mon, 2 Nov 2026 at 10:00, Troupe <troupe@example.org> wrote:\n> Which one?\n"

export const statusOf = (id: TaskId) =>
  Effect.flatMap(Tasks, (tasks) => Effect.map(tasks.find(id), ({ status }) => status))

interface InboxBody {
  readonly kind: string
  readonly text: string
  readonly by?: string
  readonly trusted?: boolean
  readonly approves?: boolean
}

export const inboxOf = (id: TaskId) =>
  Effect.flatMap(Wire, ({ query }) => query<{ body: string }>("select body from inbox where task_id = $1", [id])).pipe(
    Effect.map((rows) => rows.map(({ body }) => JSON.parse(body) as InboxBody))
  )
