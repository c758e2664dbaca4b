import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert } from "@effect/vitest"
import { Finding } from "@troupe/domain/Finding"
import { Task } from "@troupe/domain/Task"
import { version } from "@troupe/domain/Version"
import { Effect, Schema } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { troupeAt, troupeHere } from "../support/CommandLine.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import type { Environment } from "../support/Processes.ts"

const use = (tool: string, args: object) => `use ${tool} ${JSON.stringify(args)}`
const escape = "\u001b[2J\u001b]0;owned\u0007"

const taskIn = Schema.decodeUnknownSync(Schema.parseJson(Task))
const findingsIn = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Finding)))
const lineIn = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ event: Schema.String, data: Schema.Unknown })))

/** The commands against a running service that has no other tasks yet, and that has these settings. */
export const commandLine = Effect.fnUntraced(function*(port: number, settings: Environment) {
  const built = troupeAt(port)
  const troupe = troupeHere(port)

  // Results on standard output, progress on standard error, and no escape sequence in either.
  const written = yield* built(
    ["submit", "--watch"],
    `${use("write_file", { path: "a.md", content: "Hi" })}\n\nDone ${escape}`
  )
  assert.strictEqual(written.code, 0, written.stderr)
  assert.include(written.stderr, "→ write_file {\"path\":\"a.md\",\"content\":\"Hi\"}\n✓ write_file: Wrote a.md")
  assert.include(written.stdout, "Tool calls made: 1\n- write_file: ok")
  assert.notMatch(written.stdout + written.stderr, /[^\P{Cc}\n]/u)

  // A question ends the watch where nobody can be asked; its answer goes on the command line.
  const asked = yield* troupe([
    "submit",
    "--json",
    "--watch",
    use("ask_human", { question: `Red or blue?${escape}` })
  ])
  assert.strictEqual(asked.code, 3)
  assert.include(asked.stderr, "The task waits for an answer: Red or blue?␛[2J␛]0;owned␇")
  const lines = asked.stdout.trimEnd().split("\n").map((line) => lineIn(line))
  assert.strictEqual(lines[0]?.event, "status")
  assert.strictEqual(lines.at(-1)?.event, "task")
  const { id, status } = Schema.decodeUnknownSync(Task)(lines.at(-1)?.data)
  assert.strictEqual(status, "waiting_input")
  const waiting = yield* troupe(["tasks", "--status", "waiting_input"])
  assert.match(
    waiting.stdout,
    new RegExp(`^ID +STATUS +AGE +TOKENS +TITLE\n${id}  waiting_input  .*  use ask_human .*\n$`)
  )
  assert.include((yield* troupe(["show", id])).stdout, "Question  Red or blue?␛[2J␛]0;owned␇\n")
  const similar = yield* troupe(["show", id.slice(0, 4)])
  assert.strictEqual(similar.code, 2)
  assert.include(similar.stderr, `${id.slice(0, 4)} is the beginning of more than one task. Give more characters`)
  assert.include(similar.stderr, `\n  ${id}  use ask_human`)
  const answered = yield* troupe(["answer", id.slice(0, -1), "Blue,", "please"])
  assert.strictEqual(answered.code, 0, answered.stderr)
  const over = yield* troupe(["watch", id])
  assert.include(over.stderr, "· default answered on the command line\n", "the events from the beginning")
  assert.include(over.stdout, "ask_human: ok: Blue, please")
  const again = yield* troupe(["answer", id], "Green")
  assert.deepStrictEqual([again.code, again.stdout], [4, ""])
  assert.include(again.stderr, `Task ${id} is completed`)

  // A cancelled task fails its watch; a retry continues it.
  const slow = taskIn(
    (yield* troupe(["submit", "--json", "--title", "Slow", use("ask_human", { question: "Go on?" })])).stdout
  )
  assert.strictEqual((yield* troupe(["watch", slow.id])).code, 3, "it asks before it is cancelled")
  assert.strictEqual((yield* troupe(["cancel", slow.id, "--reason", "changed my mind"])).code, 0)
  const failed = yield* troupe(["watch", slow.id])
  assert.strictEqual(failed.code, 1)
  assert.include(failed.stderr, "Cancelled: changed my mind\n")
  const retried = yield* troupe(["retry", slow.id, "--watch", "--json"])
  assert.strictEqual(retried.code, 3, retried.stderr)
  assert.strictEqual((yield* troupe(["answer", slow.id], "Yes")).code, 0)
  assert.strictEqual((yield* troupe(["watch", slow.id])).code, 0)
  assert.strictEqual(taskIn((yield* troupe(["show", slow.id, "--json"])).stdout).status, "completed")

  // A file goes up with a task, is read by its agent, and comes down as it was; nothing here is overwritten.
  const folder = yield* freshFolder
  const file = join(folder, "odd name ü.txt")
  yield* Effect.promise(() => writeFile(file, "Line one of the file\n"))
  assert.strictEqual((yield* troupe(["files", "put", file, "--name", "put.txt"])).stdout, "put.txt\n")
  assert.strictEqual((yield* troupe(["files", "delete", "put.txt"])).code, 0)
  const attached = yield* troupe([
    "submit",
    "--watch",
    "--file",
    file,
    use("read_file", { path: "odd name ü.txt" })
  ])
  assert.strictEqual(attached.code, 0, attached.stderr)
  assert.include(attached.stdout, "Line one of the file")
  assert.match((yield* troupe(["files"])).stdout, /21 B +odd name ü\.txt\n/)
  const copy = join(folder, "copy.txt")
  assert.strictEqual((yield* troupe(["files", "get", "odd name ü.txt", "-o", copy])).code, 0)
  assert.strictEqual(yield* Effect.promise(() => readFile(copy, "utf8")), "Line one of the file\n")
  assert.strictEqual((yield* troupe(["files", "get", "odd name ü.txt", "-o", copy])).code, 2)
  assert.strictEqual((yield* troupe(["files", "delete", "odd name ü.txt"])).code, 0)
  assert.strictEqual((yield* troupe(["files", "get", "odd name ü.txt"])).code, 4)

  // A message after the end makes a new task; what an agent saved can be seen and deleted.
  const continued = yield* troupe(["message", slow.id], use("memory_save", { content: `Blue is liked ${escape}` }))
  assert.strictEqual(continued.code, 0, continued.stderr)
  assert.strictEqual((yield* troupe(["watch", continued.stdout.trim()])).code, 0)
  const memories = yield* troupe(["memory", "-q", "blue"])
  assert.match(
    memories.stdout,
    /^ID +CHANGED +MEMORY\n\S+ {2}[\d-]+ {2}Blue is liked \u241b\[2J\u241b\]0;owned\u2407\n$/
  )
  const exported = yield* troupe(["memory", "export"])
  assert.include(exported.stdout, "Blue is liked \\u001b[2J")
  assert.strictEqual((yield* troupe(["memory", "delete", /\n(\S+)\S /.exec(memories.stdout)?.[1] ?? ""])).code, 0)
  assert.strictEqual((yield* troupe(["memory", "delete"])).code, 2)
  const more = yield* troupe(["submit", "--watch", use("memory_save", { content: "Red is liked" })])
  assert.strictEqual(more.code, 0, more.stderr)
  assert.include((yield* troupe(["memory"])).stdout, "Red is liked")
  assert.strictEqual((yield* troupe(["memory", "delete", "--all"])).code, 0)
  assert.strictEqual((yield* troupe(["memory", "--json"])).stdout, "[]\n")

  // A schedule is added, runs, and is deleted; a time that nobody understands is refused with what works.
  const added = yield* troupe(["schedules", "add", "--every", "weekday at 9", `Water the plants ${escape}`])
  assert.strictEqual(added.code, 0, added.stderr)
  const [, schedule = ""] = /^(\S+): task, weekday at 9, UTC\n(?: {2}[\d-]+ 09:00 UTC\n){5}$/.exec(added.stdout) ?? []
  assert.match(
    (yield* troupe(["schedules"])).stdout,
    new RegExp(`^ID +KIND +TITLE +WHEN +NEXT +HEALTH\n${schedule} +task +Water the plants .\\[2J.+ 09:00 UTC +ok\n$`)
  )
  assert.match((yield* troupe(["schedules", "run", schedule.slice(0, 30)])).stderr, /^It ran as task \S+\.\n$/)
  assert.strictEqual((yield* troupe(["schedules", "pause", schedule])).code, 0)
  const resumed = yield* troupe(["schedules", "resume", schedule])
  assert.strictEqual(resumed.code, 0)
  assert.include(resumed.stdout + resumed.stderr, "Resumed. Next runs:")
  assert.strictEqual((yield* troupe(["schedules", "delete", schedule])).code, 0)
  assert.strictEqual((yield* troupe(["schedules", "resume", schedule])).code, 4)
  const refused = yield* troupe(["schedules", "add", "--reminder", "--at", "soon", "Stretch"])
  assert.strictEqual(refused.code, 4)
  assert.include(refused.stderr, "\"soon\" is not understood as a time. What works: \"tomorrow at 9\"")

  const subscribed = yield* troupe(["subscriptions", "add", "http://127.0.0.1:1/hook", "--event", "task.failed"])
  assert.match(subscribed.stderr, /^Its secret, which is not shown again: whsec_\S+\n$/)
  const subscription = subscribed.stdout.trim()
  assert.strictEqual(
    (yield* troupe(["subscriptions"])).stdout,
    `ID                                    TASKS  ADDRESS                  EVENTS       LAST EVENT\n${subscription}  own    `
      + "http://127.0.0.1:1/hook  task.failed  no event yet\n"
  )
  assert.strictEqual((yield* troupe(["subscriptions", "delete", subscription])).code, 0)
  assert.strictEqual((yield* troupe(["subscriptions", "delete", subscription])).code, 4)

  // The feed, the outbox, the webhooks that arrived, and what all of it cost.
  const feed = yield* troupe(["notifications", "--unread"])
  assert.match(feed.stdout, /^ID +TIME +KIND +TASK +TEXT\n\S+ +[\d-]+ [\d:]+ UTC +\w+ +\S+ +\S/)
  const notification = /\n(\S+)\S /.exec(feed.stdout)?.[1] ?? ""
  assert.strictEqual((yield* troupe(["notifications", "read", notification])).code, 0)
  assert.strictEqual((yield* troupe(["notifications", "delete", notification])).code, 0)
  assert.strictEqual((yield* troupe(["notifications", "read", "--all"])).stderr, "Marked as read.\n")
  assert.deepStrictEqual(yield* troupe(["notifications", "--unread"]), {
    code: 0,
    stdout: "",
    stderr: "No notifications.\n"
  })
  assert.strictEqual((yield* troupe(["outbox", "--state", "failed"])).stderr, "No messages.\n")
  assert.strictEqual((yield* troupe(["outbox", "retry", id])).code, 4)
  assert.strictEqual((yield* troupe(["deliveries"])).stderr, "No deliveries.\n")
  yield* HttpClientRequest.post(`http://127.0.0.1:${port}/webhook/billing?token=hush`).pipe(
    HttpClientRequest.setHeaders({ "x-plan": "gold", "x-api-token": "hush" }),
    HttpClientRequest.bodyText("{\"event\": \"paid\"}", "application/json"),
    HttpClient.execute,
    Effect.provide(FetchHttpClient.layer)
  )
  const [, delivery = ""] = /\n(\S+) /.exec((yield* troupe(["deliveries"])).stdout) ?? []
  const shown = (yield* troupe(["deliveries", "show", delivery])).stdout
  assert.match(shown, /^billing {2}[^]+\n\/webhook\/billing\?[^]+\nx-plan: gold\n[^]*\n\n{\n {2}"event": "paid"\n}\n$/)
  assert.match(shown, /\nx-api-token: \[redacted\]\n/)
  assert.notInclude(shown, "hush")
  assert.match((yield* troupe(["usage"])).stdout, /^Tasks +\d+\nInput +[\d,]+ tokens\n[^]+Cost +/)
  assert.strictEqual((yield* troupe(["team"])).code, 4, "there is none without a sign-in")

  // Rules are read, tested and saved; a file that was made from an older revision is refused.
  const rules = join(folder, "policy.json")
  yield* Effect.promise(() => writeFile(rules, "{\"rules\": [{\"effect\": \"deny\", \"tool\": \"write_file\"}]}"))
  const tested = yield* troupe(["policy", "test", rules, "--days", "1"])
  assert.strictEqual(tested.code, 0, tested.stderr)
  assert.match(tested.stdout, /^Of \d+ calls of \d+ tasks, these rules allow \d+, ask about 0 and deny [1-9]/)
  assert.match(tested.stdout, /\nTASK +CALL OF +WAS +IS +BY\n\S+ +write_file +allow +deny +rule 1\n/)
  yield* Effect.promise(() => writeFile(rules, "{\"rules\": [{\"effect\": \"deny\", \"tool\": \"write_fil\"}]}"))
  assert.match(
    (yield* troupe(["policy", "apply", rules])).stdout,
    /^Saved\.\nRevision 1, preset balanced\.[^]+ Never applies: no known/
  )
  yield* Effect.promise(() => writeFile(rules, "{\"revision\": 0, \"rules\": []}"))
  const late = yield* troupe(["policy", "apply", rules])
  assert.deepStrictEqual([late.code, late.stdout], [4, ""])
  assert.match(
    late.stderr,
    /^Nothing was saved: .+ was made from revision 0, and somebody has saved revision 1 since\./
  )

  const [tools, skill, reloaded] = yield* Effect.all([
    troupe(["tools"]),
    troupe(["skills", "show", "summarize-document"]),
    troupe(["skills", "reload"])
  ])
  assert.deepStrictEqual([tools.code, tools.stdout], [0, ""])
  assert.include(tools.stderr, "No tool servers. Configure them by POST /api/mcp/configure")
  assert.match(skill.stdout, /summarize-document[^]*# /)
  assert.match(reloaded.stdout, /^\d+ skills; 0 added, 0 updated, 0 removed\n$/)

  const [unknown, wrong, absent, skills, matches] = yield* Effect.all([
    troupe(["show", "nonsense"]),
    troupe(["tasks", "--status", "done"]),
    troupe(["tasks", "--url", "http://127.0.0.1:1"]),
    troupe(["skills"]),
    troupe(["skills", "match", "a/b report"])
  ], { concurrency: 2 })
  assert.deepStrictEqual([unknown.code, unknown.stderr], [4, "There is no task nonsense.\n"])
  assert.deepStrictEqual([wrong.code, absent.code], [2, 6])
  // Without an address it asks the port that the settings name.
  const healthy = yield* troupeAt(port, { ...settings, PORT: port, TROUPE_URL: "" })(["doctor", "--json"])
  assert.strictEqual(healthy.code, 0, healthy.stdout)
  const found = new Map(
    findingsIn(healthy.stdout).map(({ check, detail, status }) => [check, `${status}: ${detail}`])
  )
  assert.strictEqual(found.get("port"), `ok: 127.0.0.1:${port} is in use by Troupe ${version}.`)
  assert.strictEqual(found.get("migrations"), "ok: Up to date")
  assert.strictEqual(found.get("service database"), "ok: PostgreSQL answers.")
  assert.strictEqual(found.get("policy rule 1"), "warning: It never applies: no known tool is named write_fil.")
  const broken = yield* troupeAt(1, { PORT: "many" })(["doctor"])
  assert.strictEqual(broken.code, 1)
  assert.match(broken.stdout, /\u2717 settings +PORT is "many"\.\n +Fix: It must be a port number/)
  assert.match(broken.stdout, /! service +No Troupe answers at http:\/\/127\.0\.0\.1:1\.\n +Fix: Start it/)
  assert.match(skills.stdout, /summarize-document +built-in +ready/)
  assert.match(matches.stdout, /weekly-report-from-csv/)
})
