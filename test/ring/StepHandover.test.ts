import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Runtime } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { steps } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
import { allEnded, haveShards, makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { serve } from "../support/LocalServer.ts"
import { start, terminated, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const work = { name: "work", description: "Works.", inputSchema: { type: "object" } }
const about = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "slow", version: "1" } }

/** A tool server whose calls last until the gate opens. */
const makeSlowServer = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const wait = Runtime.runPromise(yield* Effect.runtime())
  const calls: Array<string> = []
  let hangUps = 0
  const url = yield* serve((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end()
    let body = ""
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk)).on("end", () => {
      const { id, method, params } = JSON.parse(body)
      const answer = (result: object) =>
        void response.writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" })
          .end(id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, result }))
      if (method === "initialize") return answer(about)
      if (method === "tools/list") return answer({ tools: [work] })
      if (method !== "tools/call") return answer({})
      calls.push(params.arguments.name)
      response.once("close", () => hangUps += response.writableFinished ? 0 : 1)
      void wait(Deferred.await(gate)).then(() => answer({ content: [{ type: "text", text: "Worked." }] }))
    })
  })
  return { url: `${url}/mcp`, calls, hangUps: () => hangUps, open: Deferred.succeed(gate, undefined) }
})

processTest(
  "A worker that joins and one that stops interrupt no call, however long it takes, and run other tasks meanwhile",
  function*() {
    const server = yield* makeSlowServer
    const { environment, storage, url } = yield* makeDeployment()
    const file = join(storage, "..", "servers.json")
    const config = JSON.stringify({ mcpServers: { slow: { type: "http", url: server.url, timeout_seconds: 200 } } })
    yield* Effect.promise(() => writeFile(file, config))
    const ports = yield* Effect.all([makePorts, makePorts, makePorts, makePorts])
    const [api, staying, leaving, joining] = ports
    const given = { ...environment, MCP_CONFIG_FILE: file, SHUTDOWN_GRACE_SECONDS: 120 }
    const startWorker = (at: typeof staying) => start("worker", { ...given, ...at.environment })
    const client = taskClient(api.http)
    const [, , stopped] = yield* Effect.all([
      start("api", { ...given, ...api.environment }),
      startWorker(staying),
      startWorker(leaving)
    ], { concurrency: "unbounded" })
    yield* haveShards(url, [staying.address, leaving.address])

    // About a sixth of all shards move from the worker that stays to the one that joins: some of the tasks are in them.
    const names = Array.from({ length: 72 }, (_, index) => `call-${index}`)
    const slow = yield* Effect.forEach(
      names,
      (name) => client.submit(name, { message: `use slow__work {"name":"${name}"}`, user_id: name }),
      { concurrency: 8 }
    )
    yield* until("all calls are under way", Effect.sync(() => server.calls.length === names.length))
    const runners = Effect.map(
      query<{ id: string; runner: string }>(url, "select task_id as id, runner from actors where runner is not null"),
      (rows) => new Map(rows.map(({ id, runner }) => [id, runner]))
    )
    const before = yield* runners
    const stopping = yield* Effect.fork(terminated(stopped))
    yield* startWorker(joining)
    yield* haveShards(url, [staying.address, joining.address])
    const quick = yield* Effect.forEach(
      names.slice(0, 24),
      (name) => client.submit(`quick-${name}`, { message: `use list_directory {"path":"."}`, user_id: name }),
      { concurrency: 8 }
    )
    yield* until(
      "the other tasks have ended",
      Effect.map(
        query<{ count: number }>(url, "select count(*)::integer as count from actors where status = 'completed'"),
        ([row]) => row?.count === quick.length
      )
    )
    const leases = "select 1 from actors where leased_until > now() having count(distinct runner) = 2"
    yield* until("tasks of both workers are leased", Effect.map(query(url, leases), ({ length }) => length === 1))
    const moved = "select 1 from actors where leased_until > updated_at + interval '15 seconds'"
    yield* until("it takes longer than a lock lasts", Effect.map(query(url, moved), ({ length }) => length > 0))
    assert.deepStrictEqual(new Map([...yield* runners].filter(([id]) => slow.includes(id))), before)

    yield* server.open
    const end = yield* Fiber.join(stopping)
    assert.deepStrictEqual([end.code, end.signal], [0, null])
    yield* allEnded(url, "60 seconds")
    assert.deepStrictEqual(server.calls.toSorted(), names.toSorted(), "each call was made once")
    assert.strictEqual(server.hangUps(), 0)
    const results = (yield* steps(url)).flatMap(({ body, task_id }) =>
      body.kind === "results" && slow.includes(task_id) ? body.results.map(({ message }) => message.content) : []
    )
    assert.lengthOf(results, names.length)
    for (const result of results) assert.include(result, "Worked.")
  }
)
