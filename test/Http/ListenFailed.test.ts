import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeFakes } from "./Fakes.ts"
import { started } from "./TestServer.ts"

it.scopedLive("A start whose port is in use names the port and the setting", () =>
  Effect.gen(function*() {
    const port = yield* started(makeFakes())
    const { message } = yield* Effect.flip(started(makeFakes(), { PORT: String(port) }))
    assert.match(message, new RegExp(`^127.0.0.1:${port} is in use by another program. .* set another PORT`))
  }))

it.scopedLive("A start whose address is not this machine's says so", () =>
  Effect.gen(function*() {
    // 192.0.2.0/24 is for documentation, and nobody's.
    const { message } = yield* Effect.flip(started(makeFakes(), { HOST: "192.0.2.1" }))
    assert.include(message, "192.0.2.1 is no address of this machine. Set HOST")
  }))
