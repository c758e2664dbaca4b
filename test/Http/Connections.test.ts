import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { makeFakes } from "./Fakes.ts"
import { connected, exchange } from "./RawHttp.ts"
import { started } from "./TestServer.ts"

it.scopedLive("Connections over the limit are closed, which is logged once, until another one ends", () =>
  Effect.gen(function*() {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    const port = yield* started(makeFakes(), { MAX_CONNECTIONS: "2" }).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    const open = [yield* connected(port), yield* connected(port)] as const
    for (const connection of open) {
      assert.strictEqual((yield* exchange(connection, port, { path: "/health" })).status, 200)
    }
    for (let index = 0; index < 5; index++) {
      const refused = yield* connected(port)
      assert.strictEqual(yield* refused.closed, "")
    }
    assert.strictEqual((yield* exchange(open[0], port, { path: "/health" })).status, 200)
    const said = logged.filter((text) => text.includes("MAX_CONNECTIONS"))
    assert.lengthOf(said, 1)
    assert.match(said[0] ?? "", /^Refused 1 new connections?: 2 are open\./)
    open[0].socket.destroy()
    const answer = yield* Effect.flatMap(connected(port), (next) => exchange(next, port, { path: "/health" })).pipe(
      Effect.repeat({ until: ({ status }) => status === 200 }),
      Effect.timeout("10 seconds")
    )
    assert.strictEqual(answer.status, 200)
  }))
