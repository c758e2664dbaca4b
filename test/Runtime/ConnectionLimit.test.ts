import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import * as ConnectionLimit from "../../src/Runtime/Database/ConnectionLimit.ts"
import { Session } from "../../src/Runtime/Database/Session.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"

describe("ConnectionLimit", () => {
  it("warns once all processes and others may need more than the server accepts", () => {
    const server = { processes: 9, others: 40, limit: 97 }
    assert.isNull(ConnectionLimit.warningOf(6, server))
    const warning = ConnectionLimit.warningOf(7, server)
    assert.include(warning, "accepts 97 connections")
    assert.include(warning, "9 processes of the service with up to 7 each")
    assert.include(warning, "40 of others")
  })

  it.scopedLive("reads from the server how many there are, and logs at the start", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void lines.push(String(message)))
      )
      yield* Layer.build(
        Layer.provide(ConnectionLimit.layer(1000), [Layer.provide(Session.layer, Database.layer), logger])
      )
      const [line] = yield* eventually(Effect.sync(() => lines), ({ length }) => length > 0)
      assert.match(String(line), /accepts [1-9]\d* connections, .*process.* with up to 1000 each/)
    }))
})
