import { assert, it } from "@effect/vitest"
import { Screen } from "@troupe/cli/Screen"
import { Service } from "@troupe/cli/Service"
import { watch } from "@troupe/cli/TaskEvents"
import { followAll } from "@troupe/cli/WatchTask"
import { Effect, Layer, Option, Redacted, Stream } from "effect"
import { collectingStreams } from "../support/CommandLine.ts"
import { serve } from "../support/LocalServer.ts"
import { logOf, taskOf } from "./Samples.ts"

const frame = (event: string, data: unknown, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const connection = (url: string, token: string | null = null) =>
  Service.layer({ url, token: Option.map(Option.fromNullable(token), Redacted.make) })

it.scopedLive("A watch goes on after lost connections where it was, with the token, and ends with the task", () =>
  Effect.gen(function*() {
    const asked: Array<readonly [after: string | undefined, authorization: string | undefined]> = []
    const url = yield* serve((request, response) => {
      const after = request.headers["last-event-id"]?.toString()
      asked.push([after, request.headers.authorization])
      const attempt = asked.length
      // The service is away for a moment.
      if (attempt === 2) return void response.writeHead(503).end()
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("retry: 2000\n\n: still here\n\n")
      if (attempt === 1) {
        response.write(frame("log", logOf({ id: "1.0" }), "1.0"))
        response.write(frame("text", { delta: "Hel" }))
        response.write(frame("later", { unknown: true }, "1.1"))
        // In the middle of an event.
        return void response.write("id: 9.9\nevent: log\nda", () => request.socket.destroy())
      }
      response.write(frame("log", { no: "log" }, "2.0"))
      response.end(frame("status", { status: "completed", error: null, ended_by: "answer" }, "3.0"))
    })
    const seen = yield* watch("a/b").pipe(
      Stream.runCollect,
      Effect.map((events) => [...events].map((event) => "id" in event ? `${event._tag} ${event.id}` : event._tag)),
      Effect.provide(connection(url, "secret"))
    )
    assert.deepStrictEqual(seen, ["log 1.0", "text", "reconnecting", "reconnecting", "status 3.0"])
    assert.deepStrictEqual(asked.map(([after]) => after), [undefined, "1.0", "1.0"])
    assert.deepStrictEqual(new Set(asked.map(([, token]) => token)), new Set(["Bearer secret"]))
  }))

it.scopedLive("A watch of a task that was deleted meanwhile fails with the reason of the service", () =>
  Effect.gen(function*() {
    const { id } = taskOf()
    const url = yield* serve((_, response) => {
      const detail = `There is no task ${id}.`
      const problem = { type: "/problems/task-not-found", title: "", status: 404, detail, instance: "" }
      response.writeHead(404, { "content-type": "application/problem+json" }).end(JSON.stringify(problem))
    })
    const failure = yield* Effect.flip(Stream.runDrain(watch(id))).pipe(Effect.provide(connection(url)))
    assert.deepStrictEqual([failure.reason, failure.message], ["refused", `There is no task ${id}.`])
  }))

it.scopedLive("A watch of all tasks writes a line an event, resumes where it was, and ends when the service refuses it", () =>
  Effect.gen(function*() {
    const { id } = taskOf()
    const asked: Array<string | undefined> = []
    const url = yield* serve((request, response) => {
      if (request.url !== "/base/events") return void response.writeHead(404).end()
      asked.push(request.headers["last-event-id"]?.toString())
      if (asked.length % 2 === 0) {
        const problem = { type: "/problems/unauthenticated", title: "", status: 401, detail: "No token.", instance: "" }
        response.writeHead(401, { "content-type": "application/problem+json" }).end(JSON.stringify(problem))
        return
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(frame("position", {}, "1"))
      response.write(frame("log", { task_id: id, ...logOf({ event: "tool_result", message: "read\u001b[2J" }) }, "2"))
      response.end(frame("status", { task_id: id, status: "failed", error: "No\u001b[2J", ended_by: "failure" }, "3"))
    })
    const watched = (json: boolean) =>
      Effect.gen(function*() {
        const { streams, written } = collectingStreams()
        const failure = yield* Effect.flip(followAll(json)).pipe(
          Effect.provide(Layer.merge(Screen.layer(streams), connection(`${url}/base/`)))
        )
        assert.strictEqual(failure.reason, "denied")
        assert.include(failure.message, "No token.\nGive a token")
        return written
      })
    const { stderr, stdout } = yield* watched(false)
    assert.strictEqual(stdout, `${id}  \u2713 read\u241b[2J\n${id}  failed: No\u241b[2J\n`)
    assert.strictEqual(stderr, "Watching all tasks. Ctrl-C ends it.\n! Connection lost; connecting again\n")
    const lines = (yield* watched(true)).stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    assert.deepStrictEqual(lines.map(({ event, task_id }) => [event, task_id]), [
      ["position", undefined],
      ["log", id],
      ["status", id],
      ["reconnecting", undefined]
    ])
    assert.deepStrictEqual(asked, [undefined, "3", undefined, "3"])
  }))
