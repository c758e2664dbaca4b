import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { accounts } from "../support/ChatAccounts.ts"
import { query } from "../support/Database.ts"
import { until } from "../support/Processes.ts"
import { answers, makeReceiver } from "../support/WebhookReceiver.ts"
import type { ConsoleWorld } from "./Console.ts"

/** What would run, load or navigate if it were more than text. */
export const payloads = [
  "<img src=x onerror=\"document.title='run'\">",
  "<script>document.title='run'</script>",
  "<svg onload=\"document.title='run'\"><animate onbegin=\"document.title='run'\"></svg>",
  "![pixel](https://evil.example/pixel.png)",
  "[click](javascript:document.title='run')",
  "[click](data:text/html,<script>alert(1)</script>)",
  "[click](vbscript:run) <javascript:run()>",
  "<iframe src=\"https://evil.example\"></iframe><object data=\"https://evil.example\"></object>",
  "<a href=\"https://evil.example\" onclick=\"document.title='run'\">link</a>",
  "<form action=\"https://evil.example\"><input autofocus onfocus=\"document.title='run'\"></form>",
  "<link rel=stylesheet href=\"https://evil.example/x.css\"><style>@import 'https://evil.example/y.css'</style>",
  "<meta http-equiv=refresh content=\"0;url=https://evil.example\"><base href=\"https://evil.example\">",
  "<math><mtext></table><img src=x onerror=\"document.title='run'\"></mtext></math>"
] as const
const hostile = payloads.join("\n\n")
const [name] = payloads
const mailed = "019a0000-0000-7000-8000-000000000001"
/** A name where a slash ends it. */
const noSlash = `${name} [click](javascript:run)`

/** A picture that would run and load, if it were opened as a page. */
const picture =
  `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='run'"><script>document.title='run'</script>
<image href="https://evil.example/pixel.png" width="9" height="9"/></svg>`

/** A tool server whose definitions are such texts, or which refuses with one. */
const server = (refuses: boolean) =>
  `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  const hostile = ${JSON.stringify(hostile)}
  const inputSchema = { type: "object", description: hostile, properties: { [hostile]: { type: "string", description: hostile } } }
  if (${refuses} && id !== undefined) return console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: 1, message: hostile } }))
  const result = method === "initialize"
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: hostile, version: hostile } }
    : { tools: [{ name: "look", title: hostile, description: hostile, inputSchema, annotations: { title: hostile } }] }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }))
})`

/** An address of the console that shows such a text, and how that begins there. */
export interface HostilePlace {
  readonly path: string
  readonly shows?: RegExp
}

/** Brings the texts in wherever others can write them; yields every place that shows one. */
export const givenHostileTexts = ({ client, deployment }: ConsoleWorld) =>
  Effect.gen(function*() {
    const use = (tool: string, input: object) => `use ${tool} ${JSON.stringify(input)}`
    const submit = (key: string, ...lines: ReadonlyArray<string>) =>
      client.submit(`hostile ${key}`, { message: lines.join("\n\n") })
    const post = (path: string, body: object) =>
      Effect.map(client.send("POST", path, body), (answer) => {
        assert.isBelow(answer.status, 300, `${path}: ${JSON.stringify(answer.body)}`)
        return answer.body
      })
    const is = (id: string, status: string) =>
      until(`${id} is ${status}`, Effect.map(client.find(id), (task) => task.status === status))

    const write = use("write_file", { path: "hostile.md", content: hostile })
    const asking = yield* submit(
      "question",
      hostile,
      write,
      use("memory_save", { content: hostile, tags: ["<b>tag</b>"] }),
      use("read_file", { path: "hostile.md" }),
      use("ask_human", { question: hostile, choices: payloads.slice(0, 2) })
    )
    const attached = yield* submit(
      "files",
      write,
      use("write_file", { path: `${noSlash}.txt`, content: hostile }),
      use("write_file", { path: "hostile.svg", content: picture }),
      use("write_file", { path: "hostile.html", content: hostile }),
      use("attach_file", { path: "hostile.md" })
    )
    const mailing = yield* submit(
      "mail",
      use("send_email", { to: "nobody@evil.example", subject: name, body: hostile, attachments: ["hostile.html"] })
    )
    // Of somebody else, who is told of it.
    const cancelled = yield* client.submit("hostile cancelled", {
      message: use("wait", { seconds: 3000 }),
      user_id: "trudy"
    })
    yield* post(`/task/${cancelled}/cancel`, { reason: hostile })
    const ofProject = yield* post("/chat", { message: hostile, title: name, project_id: name })
    yield* post("/webhook/shop", { message: hostile, [name]: payloads })
    yield* post(`/webhook/${encodeURIComponent(noSlash)}`, { message: hostile })
    const schedule = yield* post("/api/schedules", { message: hostile, every: "0 9 1 1 *", title: name })
    yield* post("/api/skills", {
      name: "hostile",
      description: hostile.slice(0, 1_000),
      instructions: hostile,
      tags: payloads.slice(0, 3),
      author: name,
      version: name.slice(0, 60),
      license: name,
      compatibility: hostile.slice(0, 500),
      requirements: { bins: [noSlash] }
    })
    yield* post("/api/mcp/configure", {
      mcpServers: {
        hostile: { command: process.execPath, args: ["--eval", server(false)] },
        refusing: { command: process.execPath, args: ["--eval", server(true)] }
      }
    })
    const receiver = yield* makeReceiver
    receiver.misbehave(...Array.from({ length: 20 }, () => answers(400, {}, hostile)))
    const url = `${receiver.url}&text=${noSlash}`
    const subscription = yield* post("/api/subscriptions", { url, events: ["task.created"] })
    yield* post(`/api/subscriptions/${idOf(subscription)}/test`, {})
    yield* query(
      deployment.url,
      `insert into users (id, name, display_name, email, title, timezone, responsibilities, avatar_url, overrides)
       values ('mallory', $1, $1, $1, $1, $1, $2, 'https://evil.example/pixel.png', '{title}')`,
      [name, hostile]
    )
    yield* query(deployment.url, accounts({ mallory: "U7" }))
    yield* query(
      deployment.url,
      `with made as (insert into channels values
         ('C7', gen_random_uuid(), $1, $1, $2, false, true, true, 1, $1 || ' 7', $2, now()) returning channel_id)
       insert into channel_members select channel_id, 'mallory', $1, $2 from made`,
      [name, hostile]
    )
    yield* query(
      deployment.url,
      `insert into outbox (id, channel, recipient, kind, payload, state, due_at, ended_at, attempts, last_error)
       values (gen_random_uuid(), 'email', $1, 'mail', '{}', 'failed', null, now(), 8, $2)`,
      [name, hostile]
    )
    yield* query(deployment.url, accounts({ mallory: "U7" }))
    yield* query(
      deployment.url,
      `with made as (insert into tasks (id, created_at, creator, title, description, context, task_type, source)
         values ($1::uuid, now(), 'mallory', $2, $3, $3, 'task', 'email'))
       insert into actors (task_id, shard, creator, updated_at, status, error, completed_at)
       values ($1::uuid, 1, 'mallory', now(), 'failed', $3, now())`,
      [mailed, name, hostile]
    )
    yield* query(
      deployment.url,
      `insert into scheduled_jobs (name, scope, process, next_run_at, last_error) values ($1, 'process', $1, now(), $2)`,
      [name, hostile]
    )
    yield* query(
      deployment.url,
      `insert into mail_ledger (mailbox, uid_validity, uid, outcome, reason, done_at, ignored_id, reason_code, from_header, subject, message_id)
       values ($1, 1, 1, 'ignored', $2, now(), '${mailed}', 'list', $1, $2, $1)`,
      [name, hostile]
    )
    yield* is(asking, "waiting_input")
    yield* is(mailing, "completed")
    yield* is(attached, "completed")
    yield* is(cancelled, "failed")
    const hook = yield* client.send("GET", "/tasks?webhook_type=shop").pipe(
      Effect.repeat({ until: ({ body }) => Array.isArray(body) && body.length > 0 })
    )
    const deliveries = yield* client.send("GET", "/webhook/deliveries?type=shop")
    const encoded = encodeURIComponent(noSlash)
    return [
      { path: "" },
      { path: "?whose=all" },
      { path: "?kind=failure&whose=all" },
      { path: "tasks" },
      { path: `tasks?project_id=${encodeURIComponent(name)}` },
      { path: `tasks?q=nothing${encoded}`, shows: /No task matches/ },
      { path: `tasks/${asking}` },
      { path: `tasks/${asking}?step=2` },
      { path: `tasks/${asking}?step=7` },
      { path: `tasks/${asking}?step=8` },
      { path: `tasks/${attached}` },
      { path: `tasks/${mailing}?step=2` },
      { path: `tasks/${cancelled}` },
      { path: `tasks/${mailed}` },
      { path: `tasks/${idOf(ofProject, "task_id")}` },
      { path: `tasks/${idOf(hook.body)}` },
      { path: `tasks/${encoded}`, shows: /could not be loaded/ },
      { path: "memory" },
      { path: "files" },
      { path: "files?file=hostile.md", shows: /\[click\]|click/ },
      { path: "files?file=hostile.html" },
      { path: "files?file=hostile.svg", shows: /no preview/ },
      { path: `files?file=${encodeURIComponent(`${noSlash}.txt`)}` },
      { path: "schedules" },
      { path: `schedules?schedule=${idOf(schedule)}` },
      { path: "webhooks", shows: /javascript:run/ },
      { path: `webhooks?delivery=${idOf(deliveries.body)}` },
      { path: "skills?query=hostile" },
      { path: "skills/hostile" },
      { path: `skills/${encoded}`, shows: /could not be loaded/ },
      { path: "tool-servers" },
      { path: "tool-servers?server=hostile" },
      { path: "subscriptions" },
      { path: `subscriptions?subscription=${idOf(subscription)}` },
      { path: "outbox" },
      { path: "people" },
      { path: "people?user=mallory" },
      { path: `people?user=${encoded}`, shows: /could not be loaded/ },
      { path: "channels" },
      { path: "channels?channel=C7" },
      { path: "system" }
    ] as ReadonlyArray<HostilePlace>
  })

/** The id of an answer, or of the first one of a list. */
const idOf = (body: unknown, field = "id"): string => {
  const first: unknown = Array.isArray(body) ? body[0] : body
  const found = typeof first === "object" && first !== null
    ? Object.entries(first).find(([key]) => key === field)
    : undefined
  if (typeof found?.[1] !== "string") throw new Error(`No ${field} in ${JSON.stringify(body)}`)
  return found[1]
}
