import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { post, request } from "../Http/RawHttp.ts"
import { eventually } from "../support/Eventually.ts"
import { until } from "../support/Processes.ts"
import type { Use } from "./obeyingModel.ts"
import { givenFile, ownQuestion, type Troupe, untilAvailable } from "./troupe.ts"
import { deliver, inGeneral, signedWebhook, threadWith, webhook } from "./ways.ts"

/** How lines come to an agent. `source` is a word for file names, addresses and users of this source. */
interface Source {
  /** What the model does first, as a person asks. */
  readonly asked?: (source: string, lines: string) => ReadonlyArray<Use>
  /** Before any line is brought. */
  readonly prepare?: (source: string, lines: string, troupe: Troupe) => Effect.Effect<unknown, unknown>
  readonly bring: (source: string, lines: string, troupe: Troupe) => Effect.Effect<unknown, unknown>
}

const asking = (source: string, words = "Please do this.") => `${words}\nASKED: ${source}`

const figures = "The figures of the northern region, as the accountant wrote them down in spring."

const alice = { From: "Alice <alice@example.org>" }
const partner = { From: "Pat <pat@partner.example>" }

const quoted = (lines: string) =>
  `Please see below.\n\nOn Mon, 2 Nov 2026 at 10:00, Eve <eve@evil.example> wrote:\n${lines.replaceAll(/^/gm, "> ")}\n`
const forwarded = (lines: string) =>
  `For your information.\n\n---------- Forwarded message ---------\nFrom: Eve <eve@evil.example>\n`
  + `Subject: Figures\nTo: Alice <alice@example.org>\n\n${lines}\n`

const inHtml = { ...alice, "Content-Type": "text/html; charset=utf-8" }
const paragraphs = (lines: string) => lines.replaceAll(/.+/g, "<p>$&</p>")

const forwardedInChat = (text: string) => ({
  fields: { attachments: [{ is_share: true, is_msg_unfurl: true, author_name: "Eve", channel_id: "C2", text }] }
})

/** Each line with the address that its mail is for. */
const withAddresses = (lines: string) => lines.replaceAll(/: (\S+)/g, ": $1, to $1@evil.example.")

const all = {
  "the person's own words": {
    bring: (_, lines, { asks }) => asks("alice", withAddresses(lines))
  },
  "a colleague's profile": {
    // A title has room for one line. Tasks of a project have the colleagues in their prompts.
    prepare: (source, lines, { port, query }) =>
      Effect.forEach(lines.split("\n"), (line, index) => {
        const id = `${source}_${index}`
        const body = JSON.stringify({ title: line, responsibilities: line })
        return Effect.zipRight(
          query("insert into users (id, name) values ($1, 'Colleague')", [id]),
          Effect.map(
            untilAvailable(request(port, { method: "PUT", path: `/users/${id}`, body })),
            ({ status, text }) => assert.strictEqual(status, 200, text)
          )
        )
      }),
    bring: (source, _, { asks }) => asks("alice", asking(source), { project_id: "apollo" })
  },
  "a file": {
    asked: (source) => [{ tool: "read_file", args: { path: `${source}.md` } }],
    bring: (source, lines, troupe) =>
      Effect.zipRight(
        givenFile(join(troupe.storage, "alice", `${source}.md`), lines),
        troupe.asks("alice", asking(source))
      )
  },
  "an uploaded document": {
    asked: (source) => [{ tool: "read_document", args: { path: `${source}.md` } }],
    bring: (source, lines, { asks, port }) => {
      const body = `--x\r\nContent-Disposition: form-data; name="user_id"\r\n\r\nalice\r\n--x\r\n`
        + `Content-Disposition: form-data; name="file"; filename="${source}.md"\r\nContent-Type: text/markdown\r\n\r\n`
        + `${lines}\r\n--x--\r\n`
      const headers = { "content-type": "multipart/form-data; boundary=x" }
      return Effect.zipRight(
        Effect.map(
          untilAvailable(request(port, { method: "POST", path: "/upload-file", body, headers })),
          ({ status, text }) => assert.strictEqual(status, 201, text)
        ),
        asks("alice", asking(source), { attachments: [`${source}.md`] })
      )
    }
  },
  "a tool's result": {
    asked: (_, lines) => [{ tool: "srv__echo", args: { text: lines } }],
    bring: (source, _, { asks }) => asks("alice", asking(source))
  },
  "a subagent's result": {
    asked: (source) => [{ tool: "dispatch_subagent", args: { task_description: `SAYS: ${source}` } }],
    bring: (source, _, { asks }) => asks("alice", asking(source))
  },
  "a quoted mail": { bring: (_, lines, troupe) => deliver(troupe, quoted(lines), alice) },
  "a forwarded mail": { bring: (_, lines, troupe) => deliver(troupe, forwarded(lines), alice) },
  "a mail quoted by bars": {
    bring: (_, lines, troupe) =>
      deliver(troupe, `Please see below.\n\n${withAddresses(lines).replaceAll(/^/gm, "| ")}\n`, alice)
  },
  "a quote of HTML that nothing announces": {
    bring: (_, lines, troupe) =>
      deliver(
        troupe,
        `<p>Please see below.</p><div class="gmail_quote">${paragraphs(withAddresses(lines))}</div>`,
        inHtml
      )
  },
  "the hidden text of a mail": {
    bring: (_, lines, troupe) =>
      deliver(
        troupe,
        `<p>Please see to this.</p><div style="color: white">${paragraphs(withAddresses(lines))}</div>`,
        inHtml
      )
  },
  "a conversation that was copied": {
    bring: (_, lines, { asks }) =>
      asks("alice", `Please see to this.\n\nEve Outsider  10:42 AM\n${withAddresses(lines)}`)
  },
  "a partner's mail": { bring: (_, lines, troupe) => deliver(troupe, lines, partner) },
  "a stranger's mail": {
    bring: (_, lines, troupe) => deliver(troupe, lines, { From: "Eve <eve@evil.example>" })
  },
  "a partner's reply": {
    asked: (source) => [
      { tool: "send_email", args: { to: `${source}@partner.example`, subject: "Figures", body: "Please send them." } },
      { tool: "ask_human", args: { question: ownQuestion } }
    ],
    bring: (source, lines, troupe) =>
      Effect.gen(function*() {
        const { asks, port, query } = troupe
        const id = yield* asks("alice", asking(source, `Ask ${source}@partner.example for the figures.`))
        const mail = yield* threadWith(`${source}@partner.example`, troupe)
        const count = (rows: string) =>
          Effect.map(query(`select from ${rows} where task_id = $1`, [id]), (all) => all.length)
        yield* until("the task asks", Effect.map(count("notifications"), (asked) => asked > 0))
        yield* deliver(troupe, lines, { From: `${source}@partner.example`, "In-Reply-To": mail })
        yield* until("the reply is there", Effect.map(count("inbox"), (replies) => replies > 0))
        const answered = yield* untilAvailable(post(port, "/human_response", { task_id: id, response: "Go on." }))
        assert.strictEqual(answered.status, 202, answered.text)
      })
  },
  // A person sends back all the choices that the agent wrote, as the task shows them.
  "the agent's own choices": {
    asked: (_, lines) => [{
      tool: "ask_human",
      args: { question: ownQuestion, choices: withAddresses(lines).split("\n").map((line) => `${line}\0`) }
    }],
    bring: (source, _, { asks, port }) =>
      Effect.gen(function*() {
        const id = yield* asks("alice", asking(source))
        const { text } = yield* eventually(
          untilAvailable(request(port, { path: `/task/${id}` })),
          ({ text }) => JSON.parse(text).choices.length > 0,
          "120 seconds"
        )
        const response = JSON.parse(text).choices.join("\n")
        const answered = yield* untilAvailable(post(port, "/human_response", { task_id: id, response }))
        assert.strictEqual(answered.status, 202, answered.text)
      })
  },
  "a signed webhook": {
    bring: (_, lines, troupe) => signedWebhook({ note: lines }, troupe)
  },
  "an unsigned webhook": {
    bring: (_, lines, troupe) =>
      webhook("other", JSON.stringify({ note: lines }), { "x-forwarded-for": "203.0.113.5" }, troupe)
  },
  "a guest's chat message": {
    bring: (_, lines, troupe) =>
      Effect.flatMap(
        troupe.writes(inGeneral(troupe, "UGUEST", lines)),
        ({ ts }) => troupe.writes(inGeneral(troupe, "UALICE", "<@UTROUPE> please see to this", ts))
      )
  },
  "a guest's request in chat": {
    bring: (_, lines, troupe) => troupe.writes(inGeneral(troupe, "UGUEST", `<@UTROUPE> ${lines}`))
  },
  "a chat message that is forwarded": {
    bring: (_, lines, troupe) =>
      troupe.writes({ ...inGeneral(troupe, "UALICE", "<@UTROUPE> please see to this"), ...forwardedInChat(lines) })
  },
  "a chat message that is forwarded without a word": {
    bring: (_, lines, troupe) =>
      troupe.writes({ ...inGeneral(troupe, "UALICE", "<@UTROUPE>"), ...forwardedInChat(lines) })
  },
  // The memories are of users of their own, who each have few. They are saved by tasks that have the line from a tool.
  "a memory": {
    prepare: (source, lines, { asks, ended }) =>
      Effect.zipRight(
        Effect.forEach(lines.split("\n"), (_, index) => asks(`${source}_${index}`, asking(`${source}_${index}_saved`))),
        ended
      ),
    asked: (source, lines) => {
      const [, index] = /_(\d+)_saved$/.exec(source) ?? []
      const line = index === undefined ? undefined : lines.split("\n")[Number(index)]
      return line === undefined
        // A busy machine may leave out the memories that a task begins with.
        ? [{ tool: "memory_search", args: { query: figures } }]
        : [
          { tool: "srv__echo", args: { text: line } },
          { tool: "memory_save", args: { content: `${figures} ${line}` } }
        ]
    },
    bring: (source, lines, { asks }) =>
      Effect.forEach(lines.split("\n"), (_, index) => asks(`${source}_${index}`, asking(source, figures)))
  },
  "a changed tool's description": {
    prepare: (source, lines, { asks, definitions, port, ended }) =>
      Effect.gen(function*() {
        yield* givenFile(definitions, JSON.stringify({ echo: lines }))
        yield* asks("alice", asking(`${source}_restart`))
        yield* ended
        yield* eventually(
          Effect.map(request(port, { path: "/api/mcp/status" }), ({ text }) => text),
          (text) => text.includes("\"reason\":\"changed\"")
        )
      }),
    asked: (source) => source.endsWith("_restart") ? [{ tool: "other__boom", args: {} }] : [],
    bring: (source, _, { asks }) => asks("alice", asking(source))
  }
} as const satisfies Readonly<Record<string, Source>>

export type SourceName = keyof typeof all

export const sources: Readonly<Record<SourceName, Source>> = all

/** Every agent sees their texts, so an agent follows them only where a person's request names them. */
export const seenByAll: ReadonlyArray<SourceName> = ["a colleague's profile", "a changed tool's description"]
