import { NodeContext } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect, Layer, type Redacted } from "effect"
import { rm } from "node:fs/promises"
import { backup } from "../../src/Backup/Backup.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { freshDatabase, query } from "../support/Database.ts"
import { makeDeployment, makePorts, shortLeases } from "../support/Deployment.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { makeModelServer, type ModelRequestSeen, type ModelTurn } from "../support/ModelServer.ts"
import { type Environment, start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

/** Settings that the data of a release needs, then as now. */
export const settings: Environment = {
  ...shortLeases,
  SECRETS_KEY: "0123456789abcdef0123456789abcdef",
  SEND_MAIL_TO: "example.org",
  SMTP_HOST: "127.0.0.1",
  SMTP_PORT: 1,
  SMTP_SECURE: "false",
  SMTP_USER: "troupe",
  SMTP_FROM: "Troupe <troupe@example.org>",
  TASK_SUSPECT_PAUSE: 0.1
}

/** In the data, instead of the addresses of servers that are gone. */
export const placeholders = {
  model: "http://model.invalid/v1",
  tools: "http://tools.invalid/mcp",
  hook: "http://hook.invalid/hook"
}

/** Where the rows of the data have an address. */
export const replaceAddresses = (
  url: Redacted.Redacted,
  from: typeof placeholders,
  to: typeof placeholders
) =>
  Effect.forEach(
    [
      ["model_config", "models", "model"],
      ["tool_server_config", "servers", "tools"],
      ["subscriptions", "url", "hook"]
    ] as const,
    ([table, column, name]) =>
      query(url, `update ${table} set ${column} = replace(${column}, '${from[name]}', '${to[name]}')`),
    { discard: true }
  )

export const secretHeader = "Bearer s3cret-of-the-tools"

export const tools = {
  result: {
    tools: [
      { name: "hang", inputSchema: { type: "object" } },
      { name: "delete", inputSchema: { type: "object" }, annotations: { destructiveHint: true } }
    ]
  }
}

/** What the model does first in each case; then it says that it is done. */
const firstTurns: Readonly<Record<string, ModelTurn>> = {
  finished: { text: "Done." },
  failed: { status: 400, body: { error: { message: "No." } } },
  question: { calls: [{ name: "ask_human", arguments: { question: "Red or blue?" } }] },
  answered: { calls: [{ name: "ask_human", arguments: { question: "Now or later?" } }] },
  mail: { calls: [{ name: "send_email", arguments: { to: "new@example.net", subject: "Plan", body: "Hello" } }] },
  approval: { calls: [{ name: "files__delete", arguments: {} }] },
  unsent: { calls: [{ name: "send_email", arguments: { to: "known@example.org", subject: "Unsent", body: "Hello" } }] },
  sleeping: { calls: [{ name: "wait", arguments: { seconds: 3_600 } }] },
  tool: { calls: [{ name: "files__hang", arguments: {} }] },
  parent: { calls: [{ name: "dispatch_subagent", arguments: { task_description: "Case model: as a subtask" } }] }
}

export const caseOf = (text: string): string => /Case ([a-z]+):/.exec(text)?.[1] ?? ""

/** `isOver`: those that hung then are answered now. */
export const modelOf = (isOver: boolean) => ({ body, kind }: ModelRequestSeen): ModelTurn | undefined => {
  if (kind !== "chat") return undefined
  const name = [...body.matchAll(/Case ([a-z]+):/g)].at(-1)?.[1] ?? ""
  if (name === "model" && !isOver) return { hang: true }
  return body.includes("\"role\":\"tool\"") ? { text: "Done." } : firstTurns[name] ?? { text: "Done." }
}

/** The statuses in which the tasks of each case are kept. */
const kept: Readonly<Record<string, ReadonlyArray<string>>> = {
  finished: ["completed"],
  unsent: ["completed"],
  failed: ["failed"],
  question: ["waiting_input"],
  answered: ["waiting_input"],
  mail: ["waiting_input"],
  approval: ["waiting_input"],
  sleeping: ["running"],
  tool: ["running"],
  model: ["running"],
  parent: ["waiting_subagents"]
}

/** Saves the data of the service as it is built now: a task in each status, and what waits to be sent or worked on. */
export const makeReleaseData = (file: string, version: string) =>
  Effect.gen(function*() {
    const url = yield* freshDatabase
    const deployment = yield* makeDeployment(url)
    const ports = yield* makePorts
    const environment = { ...deployment.environment, ...settings, SMTP_PASSWORD: "p", ...ports.environment }
    const model = yield* makeModelServer({ script: modelOf(false), strict: false })
    const server = yield* httpToolServer({
      list: () => tools,
      call: () => "hang"
    })
    const first = yield* start("all", environment)
    const client = taskClient(ports.http)
    const send = (...request: Parameters<typeof client.send>) =>
      Effect.tap(client.send(...request), ({ body, status }) =>
        assert.isBelow(status, 300, `${request[1]} ${JSON.stringify(body)}`))
    yield* send("PUT", "/api/models/main", {
      provider: "openai-compatible",
      model: "fake",
      base_url: model.url,
      api_key: "k-of-the-model"
    })
    yield* send("PUT", "/api/models/default", { default: "main", fallbacks: [] })
    yield* send("POST", "/api/mcp/configure", {
      mcpServers: { files: { type: "http", url: server.url("http"), headers: { Authorization: secretHeader } } }
    })
    yield* send("PUT", "/api/settings", { SPECIALIZATION: "Keeps what it was told." })
    yield* send("POST", "/api/schedules", { message: "Case finished: each year", every: "0 0 1 1 *" })
    const ids = new Map<string, string>()
    for (const name of Object.keys(kept)) {
      ids.set(name, yield* client.submit(name, { message: `Case ${name}: please` }))
    }
    for (const [name, statuses] of Object.entries(kept)) {
      yield* until(
        `${name} is ${statuses.join(" or ")}`,
        Effect.map(client.find(ids.get(name) ?? ""), ({ status }) =>
          statuses.includes(status)),
        "60 seconds"
      )
    }
    yield* until(
      "the tool and both models hang",
      Effect.map(model.requests, (seen) =>
        seen.filter(({ body }) =>
            body.includes("Case model:")
          ).length >= 2 && server.called().includes("hang"))
    )
    yield* first.signal("SIGKILL")
    yield* first.ended

    // Nobody works on what is done now.
    const api = yield* start("api", environment)
    yield* send("POST", "/api/subscriptions", { url: placeholders.hook, events: ["task.created"] })
    yield* client.submit("pending", { message: "Case pending: please" })
    const { last_tool_call_id: tool_call_id } = yield* client.find(ids.get("answered") ?? "")
    yield* send("POST", "/human_response", { task_id: ids.get("answered"), response: "Later", tool_call_id })
    yield* send("POST", "/webhook/orders", { order: 17 })
    yield* api.signal("SIGKILL")
    yield* api.ended
    yield* replaceAddresses(url, { model: model.url, tools: server.url("http"), hook: placeholders.hook }, placeholders)
    yield* Effect.promise(() => rm(file, { force: true }))
    yield* backup({ file, folders: {}, version }).pipe(
      Effect.provide(Layer.merge(NodeContext.layer, Layer.succeed(DatabaseUrl, url)))
    )
  })
