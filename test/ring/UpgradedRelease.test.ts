import { NodeContext } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { version } from "@troupe/domain/Version"
import { Effect, Layer, Queue } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { env } from "node:process"
import { fileURLToPath } from "node:url"
import { restore } from "../../src/Backup/Restore.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { emptyDatabase, query } from "../support/Database.ts"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"
import { makeReceiver } from "../support/WebhookReceiver.ts"
import {
  caseOf,
  makeReleaseData,
  modelOf,
  placeholders,
  replaceAddresses,
  secretHeader,
  settings,
  tools
} from "./ReleaseData.ts"

const folder = fileURLToPath(new URL("../support/releases/", import.meta.url))

// `npm run release:data` adds the data of this version; afterwards they stay as they are.
if (env["RELEASE_DATA"] === "write") {
  processTest(`The data of ${version} are saved`, function*() {
    yield* makeReleaseData(join(folder, `${version}.tar.gz`), version)
  })
}

const restored = (file: string) =>
  Effect.gen(function*() {
    const [url, place] = [yield* emptyDatabase, yield* freshFolder]
    const folders = { agents: place, files: place, projects: place, skills: place }
    yield* restore({ file, folders, replace: true }).pipe(
      Effect.provide(Layer.merge(NodeContext.layer, Layer.succeed(DatabaseUrl, url)))
    )
    return url
  })

/** How each case ends once everything is answered; the others complete. */
const outcomes: Readonly<Record<string, string>> = { failed: "failed" }

for (const name of readdirSync(folder)) {
  processTest(`This version ends all that was open in ${name.replace(".tar.gz", "")}, with its settings`, function*() {
    const url = yield* restored(join(folder, name))
    const model = yield* makeModelServer({ script: modelOf(true), strict: false })
    const receiver = yield* makeReceiver
    const mailServer = yield* makeMailServer({ hideSTARTTLS: true, allowInsecureAuth: true })
    const server = yield* httpToolServer({
      list: () => tools,
      call: () => ({ result: { content: [{ type: "text", text: "Deleted" }] } })
    })
    // The data are opened long after they were saved: what slept or waited to be sent until then is due.
    yield* query(url, "update actors set wake_at = clock_timestamp() where wake_at > clock_timestamp()")
    yield* query(url, "update outbox set due_at = clock_timestamp() where due_at > clock_timestamp()")
    yield* replaceAddresses(url, placeholders, { model: model.url, tools: server.url("http"), hook: receiver.url })
    const deployment = yield* makeDeployment(url)
    const ports = yield* makePorts
    yield* start("all", {
      ...deployment.environment,
      ...ports.environment,
      ...settings,
      SMTP_PORT: mailServer.port,
      SMTP_PASSWORD: password
    })
    const client = taskClient(ports.http)
    const read = (path: string) => Effect.map(client.send("GET", path), ({ body }) => body)
    const tasks = yield* query<{ id: string; description: string }>(
      url,
      "select id, description from tasks order by id"
    )
    const ids = new Map(tasks.map(({ description, id }) => [caseOf(description), id]))
    const idOf = (one: string) => ids.get(one) ?? ""

    const answer = (one: string, response: string) =>
      Effect.flatMap(
        client.find(idOf(one)),
        ({ last_tool_call_id: tool_call_id }) =>
          client.send("POST", "/human_response", { task_id: idOf(one), response, tool_call_id })
      )
    yield* answer("question", "Red")
    yield* answer("mail", "Send")
    // The tool server has another address than it had, so that the call may ask once more.
    yield* until(
      "the approved call is made",
      Effect.gen(function*() {
        const { approvals, status } = yield* client.find(idOf("approval"))
        const decisions = approvals.filter((one) => one.status === "open").map(({ tool_call_id }) => ({
          tool_call_id,
          decision: "approve"
        }))
        if (decisions.length > 0) yield* client.send("POST", `/task/${idOf("approval")}/approvals`, { decisions })
        return status === "completed"
      })
    )
    yield* query(url, "update schedules set next_run_at = clock_timestamp()")
    yield* query(url, "select pg_notify('troupe_schedules', '')")

    const sources = query<{ source: string; description: string; status: string; id: string }>(
      url,
      "select id, source, description, status from tasks join actors on task_id = id order by id"
    )
    yield* until(
      "everything has ended, with the task of the webhook and that of the schedule",
      Effect.map(
        sources,
        (found) =>
          ["webhook", "schedule"].every((source) => found.some((one) => one.source === source))
          && found.every(({ status }) => status === "completed" || status === "failed")
      ),
      "40 seconds"
    ).pipe(Effect.tapError(() => Effect.flatMap(sources, (found) => Effect.logError(found))))
    for (const { description, status } of yield* sources) {
      assert.strictEqual(status, outcomes[caseOf(description)] ?? "completed", description)
    }
    const results = (one: string) => Effect.map(read(`/task/${idOf(one)}/messages?full=true`), JSON.stringify)
    assert.include(yield* results("question"), "\"Red\"")
    assert.include(yield* results("answered"), "\"Later\"")
    assert.include(yield* results("approval"), "Deleted")
    assert.include(yield* results("tool"), "Error: uncertain")
    assert.strictEqual(server.headers()["authorization"], secretHeader)
    assert.deepStrictEqual(server.called(), ["delete"])

    const mails = yield* Effect.all([Queue.take(mailServer.arrivals), Queue.take(mailServer.arrivals)])
    assert.sameDeepMembers(mails.map(({ to }) => to), [["known@example.org"], ["new@example.net"]])
    yield* until("the events are sent", Effect.sync(() => receiver.seen.length > 0))
    assert.include(JSON.stringify(yield* read("/api/models")), "\"default\":\"main\"")
    assert.include(JSON.stringify(yield* read("/api/settings")), "Keeps what it was told.")
    const schedules = yield* query<{ status: string }>(url, "select status from schedules")
    assert.deepStrictEqual(schedules, [{ status: "active" }])
    assert.deepStrictEqual(yield* query(url, "select key from inbox"), [])
  })
}
