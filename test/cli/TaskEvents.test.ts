import { assert, it } from "@effect/vitest"
import { CommandFailed } from "@troupe/cli/CommandFailed"
import { Service } from "@troupe/cli/Service"
import { watch } from "@troupe/cli/TaskEvents"
import { Effect, Option, Redacted, Stream } from "effect"
import { serve } from "./HttpStub.ts"
import { logOf, taskOf } from "./Samples.ts"

const frame = (event: string, data: unknown, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const connection = (url: string, token: string | null = null) =>
  Service.layer({ url: Option.some(url), token: Option.map(Option.fromNullable(token), Redacted.make) })

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
      response.end(frame("status", { status: "completed", error: null }, "3.0"))
    })
    const seen = yield* watch("a/b").pipe(
      Stream.runCollect,
      Effect.map((events) => [...events].map(({ event, id }) => `${event._tag} ${id ?? ""}`.trim())),
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
      const problem = {
        type: "/problems/task-not-found",
        title: "No such task",
        status: 404,
        detail: "gone",
        instance: "",
        facts: { _tag: "TaskNotFound", id }
      }
      response.writeHead(404, { "content-type": "application/problem+json" }).end(JSON.stringify(problem))
    })
    const failure = yield* Effect.flip(Stream.runDrain(watch(id))).pipe(Effect.provide(connection(url)))
    assert.instanceOf(failure, CommandFailed)
    assert.deepStrictEqual([failure.reason, failure.message], ["refused", `There is no task ${id}.`])
  }))
