import { assert, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Stream } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import process from "node:process"
import { request } from "../Http/RawHttp.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { start, until } from "../support/Processes.ts"
import { makeRing, makeSeat } from "../support/Ring.ts"
import { type TaskClient, taskClient } from "../support/TaskClient.ts"

/**
 * Asks for /health every 40 ms for two seconds, whether the last question was answered or not: a process that is
 * blocked for a second or more answers most of them late.
 */
const medianLatency = (port: number) =>
  Effect.gen(function*() {
    const asked = yield* Effect.forEach(
      Array.from({ length: 50 }, (_, index) => index * 40),
      (millis) => Effect.delay(Effect.timed(request(port, { path: "/health" })), Duration.millis(millis)),
      { concurrency: "unbounded" }
    )
    for (const [, { status }] of asked) assert.strictEqual(status, 200)
    return asked.map(([elapsed]) => Duration.toMillis(elapsed)).toSorted((a, b) => a - b)[25] ?? Infinity
  })

/** A process that does nothing but answer; its port. */
const idleServer = Effect.gen(function*() {
  const program = `const server = require("node:http").createServer((_, response) => response.end())
server.listen(0, "127.0.0.1", () => console.log(server.address().port))`
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, ["-e", program])),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const [port] = yield* Effect.promise(() => once(child.stdout, "data"))
  return Number(port)
})

/**
 * Sees that questions are answered within 200 ms, or on a machine that is busy otherwise nearly as soon as before, or as
 * an idle process answers them at the same time.
 */
const makeWatch = (port: number) =>
  Effect.gen(function*() {
    const idle = yield* idleServer
    yield* medianLatency(port)
    const before = yield* medianLatency(port)
    return (what: string) =>
      Effect.map(
        Effect.all([medianLatency(port), medianLatency(idle)], { concurrency: 2 }),
        ([median, ofIdle]) => {
          const limit = Math.max(200, 4 * before, 4 * ofIdle)
          assert.isBelow(median, limit, what)
        }
      )
  })

const ended = (client: TaskClient, id: string) =>
  until(
    "the task ends",
    Effect.map(client.find(id), ({ status }) => status === "completed" || status === "failed"),
    "60 seconds"
  ).pipe(Effect.zipRight(client.find(id)))

it.scopedLive("No text of a request keeps the process from answering others", () =>
  Effect.gen(function*() {
    const ring = yield* makeRing()
    const seat = yield* makeSeat
    yield* start("all", { ...ring.environment, ...seat.environment })
    const client = taskClient(seat.port)
    const isResponsive = yield* makeWatch(seat.port)
    const blanks = " ".repeat(20_000)

    const messages = [`use a${blanks}b`, `x${"\n".repeat(90_000)}y`]
    for (const message of messages) {
      const id = yield* client.submit(String(message.length), { message })
      yield* isResponsive(message.slice(0, 5))
      assert.strictEqual((yield* ended(client, id)).status, "completed")
    }

    const spaces = " ".repeat(15_000)
    const types = [`application/json${spaces}x`, `application/json;${spaces}charset=utf-8${spaces.slice(0, 200)}x`]
    const refused = yield* Effect.fork(Effect.forEach(
      Array.from({ length: 40 }, (_, index) => types[index % 2] ?? ""),
      (type) => request(seat.port, { method: "POST", path: "/chat", headers: { "content-type": type }, body: "{}" }),
      { concurrency: 40 }
    ))
    yield* isResponsive("content types")
    for (const { status } of yield* Fiber.join(refused)) assert.strictEqual(status, 415)
  }), 120_000)

it.scopedLive("No stream of a model keeps the process from answering others", () =>
  Effect.gen(function*() {
    const ring = yield* makeRing()
    const seat = yield* makeSeat
    const streams = [{ text: "x".repeat(20_000), chunk: 1 }, { text: "y".repeat(9_000_000), packet: 1000 }]
    const server = yield* makeModelServer({
      // A model is asked to stream once somebody watches; until then the task goes on from step to step.
      script: ({ body }) => {
        if (!body.includes("Watched")) return undefined
        const stream = body.includes("\"stream\":true") ? streams.shift() : undefined
        return stream ?? { calls: [{ name: "list_directory", arguments: {} }], delay: 200 }
      }
    })
    yield* start("all", {
      ...ring.environment,
      ...seat.environment,
      USE_LOCAL_MODEL: "true",
      LOCAL_MODEL_URL: server.url,
      LOCAL_MODEL: "fake"
    })
    const client = taskClient(seat.port)
    const isResponsive = yield* makeWatch(seat.port)

    for (const [left, outcome] of [[1, "completed"], [0, "failed"]] as const) {
      const id = yield* client.submit(outcome, { message: "Watched" })
      yield* Effect.forkScoped(Stream.runDrain(client.events(id)))
      yield* until("the model streams", Effect.sync(() => streams.length === left))
      yield* isResponsive(outcome)
      const task = yield* ended(client, id)
      assert.strictEqual(task.status, outcome, task.error ?? "")
      if (outcome === "completed") assert.strictEqual(task.outputs[0]?.content?.length, 20_000)
      else assert.match(task.error ?? "", /sent an event of more than 4 MiB/)
    }
  }), 120_000)
