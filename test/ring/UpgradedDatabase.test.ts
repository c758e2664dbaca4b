import { NodeContext } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import type { Task } from "@troupe/domain/Task"
import { Effect, Layer, type Redacted, Struct } from "effect"
import { readFileSync } from "node:fs"
import { copyFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../../src/Runtime/Database/Migrations.ts"
import { emptyDatabase, query } from "../support/Database.ts"
import { makeDeployment, makePorts, processTest, shortLeases } from "../support/Deployment.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { makeModelServer, type ModelRequestSeen, type ModelTurn } from "../support/ModelServer.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"
import { makeReceiver } from "../support/WebhookReceiver.ts"

const file = (name: string) => readFileSync(new URL(`../support/database-0009.${name}`, import.meta.url), "utf8")

/**
 * What the service answered last, by path; the logs in `tasks` are without their texts, which may change, and without
 * notifications, of which that version listed messages only.
 */
const before: { readonly tasks: ReadonlyArray<Task> } & Readonly<Record<string, unknown>> = JSON.parse(file("json"))

const nameOf = ({ description }: Pick<Task, "description">) => /Case ([a-z-]+):/.exec(description)?.[1] ?? ""

const idOf = (name: string) => before.tasks.find((task) => nameOf(task) === name)?.id ?? ""

/** Without texts, and without the notifications that the log has listed since. */
const withoutTexts = (task: Task, { logs }: Task): object => ({
  ...task,
  logs: task.logs
    .filter(({ event, id }) => event !== "notification" || logs.some((log) => log.id === id))
    .map(Struct.omit("message"))
})

const migrations = new URL("../../migrations/", import.meta.url)

/** The data under the migrations that it was made with: the service applies those that came later. */
const oldDatabase = Effect.gen(function*() {
  const url = yield* emptyDatabase
  const folder = yield* freshFolder
  yield* Effect.promise(async () => {
    const names = await readdir(migrations)
    for (const name of names.filter((one) => one < "0010")) {
      await copyFile(new URL(name, migrations), join(folder, name))
    }
  })
  yield* Effect.provide(
    Migrations.migrate(pathToFileURL(`${folder}/`)),
    Layer.mergeAll(NodeContext.layer, Layer.succeed(DatabaseUrl, url))
  )
  yield* query(url, file("sql"))
  return url
})

const queuedWebhook = "01a202e7-9a32-7001-8801-5a66e973b142"

/** An event as that version queued it for a subscription, and had not sent it yet. */
const queueWebhook = (url: Redacted.Redacted, receiver: string) =>
  query(
    url,
    `insert into subscriptions (id, user_id, url, events, tasks, secret) values
  ('01a20000-0000-7000-8000-000000000001', 'ada', '${receiver}', '{subscription.test}', 'all', '{"plain":"whsec_AAAA"}')`
  ).pipe(Effect.zipRight(query(
    url,
    `insert into outbox (id, channel, recipient, kind, user_id, task_id, payload) select
  '${queuedWebhook}', 'webhook', '01a20000-0000-7000-8000-000000000001', 'task.created', 'ada', id,
  '{"at":"2026-11-22T10:57:41.952Z","seq":null,"facts":{"status":"pending","question":null,"error":null}}'
  from tasks where creator = 'ada' and task_type = 'task' order by id limit 1`
  )))

/** The model searches the memory when it is asked about the printer, and is done with everything else. */
const answerOf = ({ body, kind }: ModelRequestSeen): ModelTurn | undefined => {
  if (kind !== "chat") return undefined
  return body.includes("Case recall:") && !body.includes("\"role\":\"tool\"")
    ? { calls: [{ name: "memory_search", arguments: { query: "office printer" } }] }
    : { text: "Done." }
}

processTest(
  "A database of the first schema reads as before, its unfinished tasks complete, and what it had queued is sent",
  function*() {
    const database = yield* oldDatabase
    const receiver = yield* makeReceiver
    yield* queueWebhook(database, receiver.url)
    const deployment = yield* makeDeployment(database)
    const model = yield* makeModelServer({ script: answerOf })
    const environment = {
      ...deployment.environment,
      ...shortLeases,
      USE_LOCAL_MODEL: "true",
      LOCAL_MODEL_URL: model.url,
      LOCAL_MODEL: "fake",
      LOCAL_EMBEDDING_MODEL: "fake-embedding",
      SECRETS_KEY: "0123456789abcdef0123456789abcdef",
      ALLOW_STDIO_TOOL_SERVERS: "true"
    }
    const ports = yield* makePorts
    const client = taskClient(ports.http)
    yield* start("api", { ...environment, ...ports.environment })
    const read = (path: string) => Effect.map(client.send("GET", path), ({ body }) => body)

    const { tasks, ...answers } = before
    // Fields that were added since are not compared.
    for (const task of tasks) assert.containSubset(withoutTexts(yield* client.find(task.id), task), task, nameOf(task))
    for (const [path, answer] of Object.entries(answers)) {
      assert.containSubset(yield* read(path), answer, `${path} has what it had, in any order`)
    }
    const listed = tasks.toReversed().map((task) => ({ ...task, logs: [], outputs: [] }))
    for (const type of ["task", "subtask"]) {
      const found = yield* read(`/tasks?task_type=${type}&include_archived=true&limit=100`)
      const expected = listed.filter(({ task_type }) => task_type === type)
      assert.containSubset(found, expected)
      assert.lengthOf(found as ReadonlyArray<unknown>, expected.length)
    }

    yield* start("worker", { ...environment, ...(yield* makePorts).environment })
    yield* client.send("POST", "/human_response", { task_id: idOf("question"), response: "Red" })
    const recall = yield* client.submit("recall", { message: "Case recall: where is the printer?", user_id: "ada" })
    const unfinished = tasks.filter(({ status }) => status !== "completed" && status !== "failed")
    assert.isAbove(unfinished.length, 11)
    for (const task of [...unfinished, { id: recall, description: "Case recall:" }]) {
      const found = yield* until(
        `${nameOf(task)} is completed`,
        Effect.map(client.find(task.id), ({ status }) => status === "completed"),
        "40 seconds"
      ).pipe(Effect.zipRight(client.find(task.id)))
      assert.deepStrictEqual(found.outputs.map(({ content }) => content), ["Done."], nameOf(task))
    }

    const toolResults = (id: string) =>
      Effect.map(
        read(`/task/${id}/messages`),
        (messages) =>
          (messages as ReadonlyArray<{ readonly role: string; readonly content: string }>).flatMap((
            { content, role }
          ) => role === "tool" ? [content] : [])
      )
    assert.deepStrictEqual(yield* toolResults(idOf("inbox")), ["Medium"])
    assert.deepStrictEqual(yield* toolResults(idOf("question")), ["Red"])
    assert.include((yield* toolResults(idOf("ledger"))).join(), "fixture__hang")
    assert.include((yield* toolResults(recall)).join(), "The office printer is called Gutenberg")
    const remaining = yield* query<{ key: string }>(deployment.url, "select key from inbox")
    assert.deepStrictEqual(remaining, [], "every command was acted on")
    assert.deepStrictEqual(receiver.seen.map(({ headers }) => headers["webhook-id"]), [queuedWebhook])
  }
)
