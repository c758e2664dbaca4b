import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { post } from "../Http/RawHttp.ts"
import { until } from "../support/Processes.ts"
import { makeObeyingModel, type Use } from "./obeyingModel.ts"
import { givenFile, startTroupe, type Troupe, untilAvailable } from "./troupe.ts"
import { deliver, inGeneral, signedWebhook, threadWith } from "./ways.ts"
import { world } from "./worlds.ts"

const mail = (to: string, attachments: ReadonlyArray<string> = []): Use => ({
  tool: "send_email",
  args: { to, subject: "The figures", body: "Here they are.", attachments }
})
const file: Use = { tool: "write_file", args: { path: "figures.txt", content: "1, 2, 3" } }

const alice = { From: "Alice <alice@example.org>" }
const chat = (troupe: Troupe, text: string) => troupe.writes(inGeneral(troupe, "UALICE", `<@UTROUPE> ${text}`))

/** A schedule of Alice that runs now. */
const scheduled = ({ port }: Troupe, message: string) =>
  Effect.gen(function*() {
    const made = yield* untilAvailable(post(port, "/api/schedules", { message, every: "0 0 1 1 *", user_id: "alice" }))
    assert.strictEqual(made.status, 201, made.text)
    const { id } = made.json as { readonly id: string }
    const run = yield* untilAvailable(post(port, `/api/schedules/${id}/run`, {}))
    assert.isBelow(run.status, 300, run.text)
  })

const isOne = ({ length }: ReadonlyArray<unknown>) => length === 1

interface Ordinary {
  readonly bring: (troupe: Troupe) => Effect.Effect<unknown, unknown>
  readonly uses: ReadonlyArray<Use>
}

/** Twenty tasks, what people ask day by day, each with a word by which the model knows it. */
const tasks: Readonly<Record<string, Ordinary>> = {
  customer: {
    bring: ({ asks }) => asks("alice", "Send the figures to cleo@customer.example. ASKED: customer"),
    uses: [file, mail("cleo@customer.example", ["figures.txt"])]
  },
  colleague: {
    bring: ({ asks }) => asks("alice", "Send Bob the figures. ASKED: colleague"),
    uses: [mail("bob@example.org")]
  },
  copy: {
    bring: (troupe) => deliver(troupe, "Please mail me the figures. ASKED: copy", alice),
    uses: [mail("alice@example.org")]
  },
  supplier: {
    bring: (troupe) => deliver(troupe, "Order paper from shop@supplier.example. ASKED: supplier", alice),
    uses: [mail("shop@supplier.example")]
  },
  partner: {
    bring: (troupe) =>
      deliver(troupe, "Please send me the figures. ASKED: partner", { From: "Pat <pat@partner.example>" }),
    uses: [file, mail("pat@partner.example", ["figures.txt"])]
  },
  press: {
    bring: (troupe) => chat(troupe, "write to press@paper.example. ASKED: press"),
    uses: [mail("press@paper.example")]
  },
  note: {
    bring: (troupe) => chat(troupe, "keep this for me. ASKED: note"),
    uses: [{ tool: "memory_save", args: { content: "Keep this." } }, { tool: "attach_file", args: { path: "." } }, file]
  },
  order: {
    bring: (troupe) => signedWebhook({ order: 7, note: "ASKED: order" }, troupe),
    uses: [file, { tool: "memory_save", args: { content: "Order 7 came." } }]
  },
  alarm: {
    bring: (troupe) => signedWebhook({ alarm: "disk", note: "ASKED: alarm" }, troupe),
    uses: [mail("alice@example.org")]
  },
  // A task that continues another one needs the address once more.
  reminder: {
    bring: (troupe) =>
      Effect.gen(function*() {
        yield* deliver(troupe, "Ask dana@customer.example for the date. ASKED: date", alice)
        const sent = yield* threadWith("dana@customer.example", troupe)
        yield* troupe.atRest
        const answering = { ...alice, "In-Reply-To": sent }
        yield* deliver(troupe, "Write to dana@customer.example again. ASKED: reminder", answering)
      }),
    uses: [mail("dana@customer.example")]
  },
  date: { bring: () => Effect.void, uses: [mail("dana@customer.example")] },
  lookup: {
    bring: ({ asks }) => asks("alice", "What do they say? ASKED: lookup"),
    uses: [{ tool: "srv__echo", args: { text: "They say so." } }]
  },
  summary: {
    bring: ({ asks }) => asks("alice", "Sum up the mails of today in a file. ASKED: summary"),
    uses: [world("mail_search", { query: "today" }), file, { tool: "attach_file", args: { path: "figures.txt" } }]
  },
  meeting: {
    bring: ({ asks }) => asks("alice", "Enter the meeting on Monday at ten. ASKED: meeting"),
    uses: [world("calendar_create", { title: "Meeting", start: "2026-11-30 10:00" })]
  },
  report: {
    bring: (troupe) =>
      Effect.zipRight(
        givenFile(join(troupe.storage, "alice", "report.md"), "# Report"),
        troupe.asks("alice", "Shorten report.md and send it to bob@example.org. ASKED: report")
      ),
    uses: [
      { tool: "read_document", args: { path: "report.md" } },
      { tool: "write_file", args: { path: "short.md", content: "# Report" } },
      mail("bob@example.org", ["short.md"])
    ]
  },
  routine: {
    bring: (troupe) => scheduled(troupe, "Write down the figures and mail them to me. ASKED: routine"),
    uses: [file, mail("alice@example.org", ["figures.txt"])]
  },
  digest: {
    bring: (troupe) => scheduled(troupe, "Mail me what came in. ASKED: digest"),
    uses: [world("mail_search", { query: "unread" }), mail("alice@example.org")]
  },
  // It changes something outside after it has read something from outside.
  free: {
    bring: ({ asks }) => asks("alice", "Enter an hour for the dentist where I am free. ASKED: free"),
    uses: [
      world("calendar_search", { day: "2026-12-01" }),
      world("calendar_create", { title: "Dentist", start: "2026-12-01 15:00" })
    ]
  },
  // Nobody of the team has named the address.
  unnamed: {
    bring: (troupe) =>
      deliver(
        troupe,
        "Please answer her. ASKED: unnamed\n\nOn Mon, 2 Nov 2026 at 10:00, Eve <eve@new.example> wrote:\n> Hello!\n",
        alice
      ),
    uses: [mail("eve@new.example")]
  },
  // Asked for after the others.
  typed: { bring: () => Effect.void, uses: [mail("zoe@new.example")] }
}

/** Those that ask before any of it has an effect. */
const waiting: ReadonlyArray<string> = ["free", "unnamed"]

it.scopedLive(
  "Ordinary tasks end without a question, unless a mail goes to somebody unnamed or a change follows what was read",
  () =>
    Effect.gen(function*() {
      const model = yield* makeObeyingModel({
        asked: (word) => tasks[word]?.uses ?? [],
        injected: () => [],
        isSeenByAll: () => false,
        said: () => "Done."
      })
      const troupe = yield* startTroupe(model.server.url)
      yield* troupe.query(
        `insert into users (id, name, email, overrides) values ('alice', 'Alice', 'alice@example.org', '{email}'),
          ('bob', 'Bob', 'bob@example.org', '{email}'), ('pat', 'Pat', 'pat@partner.example', '{email}')`
      )
      yield* Effect.forEach(Object.values(tasks), ({ bring }) => bring(troupe), { concurrency: 4 })
      yield* troupe.atRest
      const made = yield* troupe.query<{ description: string; status: string; question: string | null }>(
        `select t.description || coalesce(t.webhook_payload, '') as description, a.status, a.question
          from tasks t join actors a on a.task_id = t.id`
      )
      assert.deepStrictEqual(
        Object.fromEntries(
          made.map(({ description, status }) => [/ASKED: (\w+)/.exec(description)?.[1], status])
        ),
        Object.fromEntries(
          Object.keys(tasks).filter((name) => name !== "typed").map((
            name
          ) => [name, waiting.includes(name) ? "waiting_input" : "completed"])
        )
      )
      const questions = made.flatMap(({ question }) => question ?? []).join("\n")
      for (const named of ["eve@new.example", "Dentist"]) assert.include(questions, named)
      const { ts } = yield* chat(troupe, "answer her. ASKED: typed")
      yield* until(
        "its question is posted",
        Effect.map(
          troupe.query("select from outbox where channel = 'chat' and state = 'sent' and progress like '%buttons%'"),
          ({ length }) => length > 0
        )
      )
      yield* troupe.writes(inGeneral(troupe, "UALICE", "Send", ts))
      yield* until("it is answered", Effect.map(troupe.query("select from outbox where recipient like 'zoe@%'"), isOne))
      const mails = yield* troupe.query<{ recipient: string }>(
        "select recipient from outbox where channel = 'email' and kind = 'mail'"
      )
      assert.deepStrictEqual(
        mails.map(({ recipient }) => recipient).toSorted(),
        Object.entries(tasks).filter(([name]) => !waiting.includes(name)).flatMap(([, { uses }]) =>
          uses.flatMap(({ args, tool }) => tool === "send_email" ? [String(args["to"])] : [])
        ).toSorted()
      )
      assert.deepStrictEqual(troupe.worlds.changes.map(({ args }) => args["title"]), ["Meeting"])
      const asked = yield* troupe.query("select from approvals")
      assert.lengthOf(Object.keys(tasks), 20)
      assert.isAtMost(asked.length / 20, 0.3)
    }),
  300_000
)
