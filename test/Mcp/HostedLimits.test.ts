import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { idOf, makeFakes } from "../Http/Fakes.ts"
import { hosted, signedInUsers } from "../Http/hardening.ts"
import { connected, exchange, isProblem, post, request } from "../Http/RawHttp.ts"
import { started } from "../Http/TestServer.ts"
import { eventually } from "../support/Eventually.ts"

const settings = { DEPLOYMENT_MODE: "hosted", MAX_EVENT_STREAMS_PER_CALLER: "2", ...hosted }

const call = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args }
})

const waiting = (message: string) => call("create_task", { message, wait_seconds: 300 })

const of = (user: string) => ({ authorization: `Bearer user-${user}` })

/** A client that accepts events gets the answer as events. */
const watching = (user: string) => ({ ...of(user), accept: "application/json, text/event-stream" })

it.scopedLive("A hosted service limits the waiting MCP calls of each user, from whichever connection they come", () =>
  Effect.gen(function*() {
    const fakes = makeFakes()
    const ended = yield* Deferred.make<void>()
    fakes.events = () => Stream.interruptWhenDeferred(Stream.never, ended)
    const port = yield* started(fakes, settings, signedInUsers)
    const submitted = (count: number) =>
      eventually(Effect.sync(() => fakes.submitted.length), (submitted) => submitted === count)

    const first = yield* Effect.fork(post(port, "/mcp", waiting("first of ann"), of("ann")))
    yield* submitted(1)
    const body = JSON.stringify(waiting("second of ann"))
    yield* exchange(yield* connected(port), port, { method: "POST", path: "/mcp", headers: watching("ann"), body })
    yield* submitted(2)

    isProblem(yield* post(port, "/mcp", waiting("third of ann"), of("ann")), 429, "too-many-streams")
    isProblem(yield* post(port, "/mcp", waiting("third of ann"), watching("ann")), 429, "too-many-streams")
    isProblem(yield* request(port, { path: "/events", headers: of("ann") }), 429, "too-many-streams")
    assert.strictEqual((yield* post(port, "/mcp", call("list_tasks", {}), of("ann"))).status, 200)

    const other = yield* Effect.fork(post(port, "/mcp", waiting("first of bob"), of("bob")))
    yield* submitted(3)
    yield* Deferred.succeed(ended, undefined)
    assert.strictEqual((yield* Fiber.join(first)).status, 200)
    assert.strictEqual((yield* Fiber.join(other)).status, 200)
    const later = call("get_task", { task_id: idOf(1), wait_seconds: 300 })
    yield* eventually(post(port, "/mcp", later, of("ann")), ({ status }) => status === 200)
    assert.deepStrictEqual(fakes.submitted.map(({ message }) => message), [
      "first of ann",
      "second of ann",
      "first of bob"
    ])
  }))
