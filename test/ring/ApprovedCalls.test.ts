import { assert } from "@effect/vitest"
import type { Task } from "@troupe/domain/Task"
import { Effect } from "effect"
import { query, whileLocked } from "../support/Database.ts"
import { haveShards, makeDeployment, makePorts, processTest, shortLeases } from "../support/Deployment.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { type ServiceProcess, start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const request = ["a", "b"].map((path) => `use files__delete ${JSON.stringify({ path })}`).join("\n")

const tools = {
  result: {
    tools: [{
      name: "delete",
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
      annotations: { destructiveHint: true }
    }]
  }
}

processTest(
  "An approved call survives a kill at each of its stages, and runs once with the arguments that were shown",
  function*() {
    const deployment = yield* makeDeployment()
    const { url } = deployment
    const apiPorts = yield* makePorts
    const environment = { ...deployment.environment, ...shortLeases }
    const kill = (process: ServiceProcess) => Effect.zipRight(process.signal("SIGKILL"), process.ended)
    const startWorker = Effect.gen(function*() {
      const ports = yield* makePorts
      const process = yield* start("worker", { ...environment, ...ports.environment })
      yield* haveShards(url, [ports.address])
      return process
    })

    // The server notes what it is asked to do. To the first call there is no answer.
    const ran: Array<unknown> = []
    const [, first] = yield* Effect.all(
      [start("api", { ...environment, ...apiPorts.environment }), startWorker],
      { concurrency: "unbounded" }
    )
    let worker = first
    const server = yield* httpToolServer({
      list: () => tools,
      call: (_, args) => {
        ran.push(args)
        return ran.length === 1 ? { waiting: true } : { result: { content: [{ type: "text", text: "deleted" }] } }
      }
    })
    const client = taskClient(apiPorts.http)
    const configured = yield* client.send("POST", "/api/mcp/configure", {
      mcpServers: { files: { type: "http", url: server.url("http") } }
    })
    assert.strictEqual(configured.status, 200)
    const stepsOf = (id: string) =>
      Effect.map(
        query<{ body: string }>(url, "select body from steps where task_id = $1 order by seq", [id]),
        (rows) => rows.map(({ body }) => JSON.parse(body) as { readonly kind: string; readonly asking?: unknown })
      )
    const reached = (id: string, what: string, holds: (task: Task) => boolean) =>
      until(what, Effect.map(client.find(id), holds), "60 seconds")

    // Proposed: the question can't be written while nobody may add approvals.
    const id = yield* whileLocked(
      url,
      "lock table approvals in share row exclusive mode",
      Effect.gen(function*() {
        const submitted = yield* client.submit("delete", { message: request })
        yield* until(
          "the calls are proposed",
          Effect.map(stepsOf(submitted), (steps) => steps.some(({ kind }) => kind === "model")),
          "60 seconds"
        )
        yield* kill(worker)
        assert.isFalse((yield* stepsOf(submitted)).some(({ asking }) => asking !== undefined))
        return submitted
      })
    )

    // Shown.
    worker = yield* startWorker
    yield* reached(id, "the calls are shown", ({ status }) => status === "waiting_input")
    const { approvals: shown } = yield* client.find(id)
    yield* kill(worker)
    assert.deepStrictEqual(shown.map(({ arguments: args, status }) => ({ args, status })), [
      { args: { path: "a" }, status: "open" },
      { args: { path: "b" }, status: "open" }
    ])

    // Decided, by a person who is answered, with nobody to carry it out.
    const decided = yield* client.send("POST", `/task/${id}/approvals`, {
      decisions: shown.map(({ tool_call_id }) => ({ tool_call_id, decision: "approve" }))
    })
    assert.strictEqual(decided.status, 202)
    assert.deepStrictEqual(ran, [])

    // Started: the first call has reached the server.
    worker = yield* startWorker
    yield* until("the first call is started", Effect.sync(() => ran.length === 1), "60 seconds")
    yield* kill(worker)
    assert.deepStrictEqual(ran, [{ path: "a" }])

    // Done: it is not made again, and the other one is.
    worker = yield* startWorker
    yield* reached(id, "the task is completed", ({ status }) => status === "completed")
    assert.deepStrictEqual(ran, [{ path: "a" }, { path: "b" }])
    const { approvals } = yield* client.find(id)
    const facts = approvals.map(({ arguments: args, id: approval, status }) => ({ args, approval, status }))
    assert.deepStrictEqual(
      facts,
      shown.map(({ arguments: args, id: approval }) => ({ args, approval, status: "approved" as const }))
    )
  }
)
