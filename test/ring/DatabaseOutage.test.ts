import { assert, layer } from "@effect/vitest"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Context, Duration, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { request } from "../Http/RawHttp.ts"
import { audit, steps } from "../support/Audit.ts"
import { allEnded, lineTasks, makeDeployment, makePorts, stepCount, submitAll } from "../support/Deployment.ts"
import { makeLineModel, messageOf } from "../support/LineModel.ts"
import { linux } from "../support/Need.ts"
import { folderWithCluster, kill, serverPid } from "../support/PostgresFolder.ts"
import { freePort, start, terminated, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

/** A service and its own server, which keeps its port and can be stopped. */
const makeService = Effect.gen(function*() {
  const folder = yield* folderWithCluster
  const port = yield* freePort
  yield* Effect.promise(() => writeFile(join(folder, "port"), String(port)))
  const serve = EmbeddedPostgres.start({ dataDir: folder, durable: true })
  const scope = yield* Effect.scope
  const firstTerm = yield* Scope.fork(scope, { _tag: "Sequential" })
  const deployment = yield* makeDeployment(yield* Scope.extend(serve, firstTerm))
  const ports = yield* makePorts
  const model = yield* makeLineModel({ label: "one", latency: ({ name }) => name.startsWith("long") ? 4_000 : 100 })
  const service = yield* start("all", {
    ...deployment.environment,
    ...ports.environment,
    ...model.environment("responses"),
    // Each outage is longer than a worker may go without a heartbeat.
    SHARD_LOCK_EXPIRATION: 2
  })
  const client = taskClient(ports.http)
  return {
    client,
    deployment,
    folder,
    http: ports.http,
    labels: { [ports.address]: model.label },
    restartServer: Effect.orDie(Scope.extend(serve, scope)),
    service,
    stopServer: Scope.close(firstTerm, Exit.void),
    submit: (prefix: string, count: number, turns: number) => submitAll(client, lineTasks(prefix, count, turns))
  }
})

class Service extends Context.Tag("troupe/test/ring/DatabaseOutage.test/Service")<
  Service,
  Effect.Effect.Success<typeof makeService>
>() {}

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

layer(Layer.scoped(Service, Effect.orDie(makeService)), { excludeTestServices: true, timeout: "2 minutes" })((it) => {
  it.scoped(
    "While the database is unavailable requests are put off, and afterwards all goes on with nothing lost",
    () =>
      Effect.gen(function*() {
        const { client, deployment, folder, http, labels, restartServer, stopServer, submit } = yield* Service
        const early = yield* submit("early", 12, 6)
        yield* until("the tasks are under way", Effect.map(stepCount(deployment.url), (count) => count >= 48))
        yield* stopServer
        const late = yield* Effect.fork(submit("late", 2, 2))
        const asked = [
          yield* client.send("POST", "/chat", { message: "not now" }),
          yield* client.send("GET", "/tasks"),
          yield* client.send("GET", `/task/${early[0]?.id}`)
        ]
        for (const { body, headers, status } of asked) {
          assert.deepInclude(body, { type: "/problems/unavailable", status: 503 })
          assert.strictEqual(status, 503)
          assert.match(headers["retry-after"] ?? "", /^\d+$/)
          assert.match(headers["content-type"] ?? "", /^application\/problem\+json/)
        }
        assert.strictEqual((yield* client.send("GET", "/health")).status, 503)
        yield* until(
          "its heartbeat has expired",
          Effect.map(request(http, { path: "/metrics" }), ({ text }) => /^troupe_shards_held 0$/m.test(text))
        )
        assert.strictEqual(yield* serverPid(folder), 0, "the server is away")
        yield* restartServer
        const accepted = [...early, ...yield* Fiber.join(late)]
        yield* allEnded(deployment.url, "60 seconds")

        const before = yield* stepCount(deployment.url)
        const last = yield* submit("last", 12, 4)
        yield* until("they are under way", Effect.map(stepCount(deployment.url), (count) => count >= before + 30))
        const killed = yield* serverPid(folder)
        yield* kill(killed)
        yield* until("another server starts", Effect.map(serverPid(folder), (pid) => pid !== killed && pid !== 0))
        yield* until(
          "the database is back",
          Effect.map(client.send("GET", "/tasks?limit=1"), ({ status }) => status === 200),
          "60 seconds"
        )
        yield* allEnded(deployment.url, "60 seconds")
        yield* audit({ ...deployment, accepted: [...accepted, ...last], labels })
        const counted = (yield* steps(deployment.url)).filter(({ body }) =>
          body.kind === "woken" && body.deaths !== undefined
        )
        assert.deepStrictEqual(counted, [], "the process was there all the time")
      }),
    120_000
  )

  it.scoped.skipIf(linux.isMissing)(
    linux.named(
      "While the database is frozen each request is answered within 10 seconds, and a process ends; afterwards all goes on"
    ),
    () =>
      Effect.gen(function*() {
        const { client, folder, http, service, submit } = yield* Service
        const completed = (id: string) =>
          until("the task completes", Effect.map(client.find(id), ({ status }) => status === "completed"))
        const message = messageOf({ name: "during", turns: 1 })
        const id = (yield* submit("before", 1, 1))[0]?.id ?? ""
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
            request(http, {
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
        const { body } = yield* client.send("GET", "/tasks?include_archived=true&q=during")
        assert.strictEqual(Array.isArray(body) ? body.length : 0, 1, "one task for the key")
        assert.strictEqual((yield* client.send("GET", "/health")).status, 200)

        const waiting = yield* submit("long", 8, 1)
        yield* until(
          "tasks are at work",
          Effect.map(client.find(waiting.at(-1)?.id ?? ""), ({ status }) => status === "running")
        )
        yield* signalServer(server, "SIGSTOP")
        const end = yield* terminated(service)
        assert.deepStrictEqual([end.code, end.signal], [0, null])
        assert.isAtMost(end.millis, 15_000, "milliseconds until it had ended")
      }),
    120_000
  )
})
