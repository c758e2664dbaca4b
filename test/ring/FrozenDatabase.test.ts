import { assert, it } from "@effect/vitest"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Duration, Effect, Fiber, Stream } from "effect"
import { readdir, readFile } from "node:fs/promises"
import process from "node:process"
import { request } from "../Http/RawHttp.ts"
import { makeDeployment, makePorts } from "../support/Deployment.ts"
import { linux } from "../support/Need.ts"
import { folderWithCluster, serverPid } from "../support/PostgresFolder.ts"
import { start, terminated, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

/** The processes that a process has started, by `/proc`; a server's are each in a process group of their own. */
const childrenOf = (parent: number) =>
  Effect.promise(async () => {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number)
    const parents = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "").then((stat) => stat.split(") ").at(-1)))
    )
    return pids.filter((_, index) => Number(parents[index]?.split(" ")[1]) === parent)
  })

/** Sends the signal; a process that has exited since it was listed needs none. */
const signalIfAlive = (pid: number, signal: "SIGCONT" | "SIGSTOP") =>
  Effect.ignore(Effect.try(() => process.kill(pid, signal)))

/** Every process of the server, the one that would accept connections first. */
const signalServer = (server: number, signal: "SIGCONT" | "SIGSTOP") =>
  Effect.gen(function*() {
    yield* Effect.sync(() => process.kill(server, signal))
    for (const pid of yield* childrenOf(server)) yield* signalIfAlive(pid, signal)
  })

const message = "use list_directory {\"path\": \".\"}"

it.scopedLive.skipIf(linux.isMissing)(
  linux.named(
    "While the database is frozen each request is answered within 10 seconds, and a process ends; afterwards all goes on"
  ),
  () =>
    Effect.gen(function*() {
      const folder = yield* folderWithCluster
      const deployment = yield* makeDeployment(yield* EmbeddedPostgres.start({ dataDir: folder, durable: false }))
      const ports = yield* makePorts
      const service = yield* start("all", { ...deployment.environment, ...ports.environment })
      const client = taskClient(ports.http)
      const id = yield* client.submit("before", { message })
      const completed = (id: string) =>
        until("the task completes", Effect.map(client.find(id), ({ status }) => status === "completed"))
      yield* completed(id)

      const server = yield* serverPid(folder)
      yield* Effect.acquireRelease(
        signalServer(server, "SIGSTOP"),
        () => Effect.ignore(signalServer(server, "SIGCONT"))
      )
      const asks: ReadonlyArray<readonly [status: number, method: string, path: string, body?: object]> = [
        [503, "GET", "/tasks"],
        [503, "GET", `/task/${id}`],
        [503, "GET", `/task/${id}/messages`],
        [503, "GET", `/task/${id}/subtasks`],
        [503, "GET", `/task/${id}/worker-status`],
        [503, "GET", `/task/${id}/events`],
        [503, "POST", "/chat", { message }],
        [503, "POST", "/human_response", { task_id: id, response: "Blue" }],
        [503, "POST", `/task/${id}/cancel`, {}],
        [503, "POST", `/task/${id}/retry`],
        [503, "GET", "/users"],
        [503, "PUT", "/users/default", { title: "Owner" }],
        [503, "GET", "/users/default/notifications"],
        [503, "GET", "/api/mcp/status"],
        [503, "GET", "/worker/health"],
        [503, "GET", "/health"],
        [200, "GET", "/api/health"],
        [200, "GET", "/api/skills/"],
        [200, "GET", "/api/version"]
      ]
      const answered = yield* Effect.forEach(
        [...asks, ...asks],
        ([expected, method, path, body]) =>
          request(ports.http, {
            method,
            path,
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            headers: path === "/chat" ? { "idempotency-key": "during" } : {}
          }).pipe(Effect.timed, Effect.map(([elapsed, answer]) => ({ answer, elapsed, expected, method, path }))),
        { concurrency: "unbounded" }
      )
      for (const { answer, elapsed, expected, method, path } of answered) {
        const said = `${method} ${path}: ${answer.text.slice(0, 200)}`
        assert.strictEqual(answer.status, expected, said)
        assert.isBelow(Duration.toMillis(elapsed), 10_000, said)
        if (expected !== 503) continue
        assert.match(answer.headers["retry-after"] ?? "", /^\d+$/, said)
        if (path === "/health") continue
        assert.strictEqual(answer.headers["content-type"], "application/problem+json", said)
        if (method !== "GET") assert.include(answer.text, "It is not known whether this request took effect", said)
      }

      yield* signalServer(server, "SIGCONT")
      const events = yield* Effect.fork(Stream.runCollect(client.events(id)))
      const again = yield* client.submit("during", { message })
      yield* completed(again)
      assert.isAbove((yield* Fiber.join(events)).length, 0)
      const { body } = yield* client.send("GET", "/tasks?include_archived=true")
      assert.strictEqual(Array.isArray(body) ? body.length : 0, 2, "one task for each key")
      assert.strictEqual((yield* client.send("GET", "/health")).status, 200)

      const waiting = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, index) => `waiting-${index}`),
        (key) => client.submit(key, { message: "use wait {\"seconds\": 4}" }),
        { concurrency: 5 }
      )
      yield* until("tasks are at work", Effect.map(client.find(waiting[9] ?? ""), ({ status }) => status === "running"))
      yield* signalServer(server, "SIGSTOP")
      const end = yield* terminated(service)
      assert.deepStrictEqual([end.code, end.signal], [0, null])
      assert.isAtMost(end.millis, 15_000, "milliseconds until it had ended")
    }),
  180_000
)
