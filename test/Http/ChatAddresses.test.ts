import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestListener } from "node:http"
import { checkAddresses } from "../../src/Http/ChatAddresses.ts"
import { serve } from "../support/LocalServer.ts"

/** As the service answers a request without a signature. */
const service: RequestListener = ({ headers, url }, response) =>
  void response.writeHead(url === "/base/team-chat/dm_response" ? 200 : 401, {
    "x-request-id": headers["x-request-id"] ?? ""
  }).end("{}")

const other: RequestListener = (_, response) => void response.writeHead(200).end("<html>")

/** This machine by an address that is not its loopback. */
const checked = (port: string) =>
  Effect.map(
    checkAddresses(new URL(`http://0.0.0.0:${port}/base/`)),
    (steps) => steps.map(({ detail, name, status }) => `${name}: ${status}: ${detail}`)
  )

it.scoped("The addresses for the chat platform are called, and only https will do", () =>
  Effect.gen(function*() {
    const port = new URL(yield* serve(service)).port
    const [events, buttons, command, outside] = yield* checked(port)
    const failed =
      "failed: http://0.0.0.0:PORT/base/team-chat/PATH answers, but the platform calls only addresses that begin with"
    const expected = (path: string) => failed.replace("PORT", port).replace("PATH", path)
    assert.include(events, expected("dm_response"))
    assert.include(buttons, expected("interactive"))
    assert.include(command, expected("command"))
    assert.match(String(outside), /^From outside: unknown: /)
  }))

it.scoped("An address that leads to something else is named", () =>
  Effect.gen(function*() {
    const [events] = yield* checked(new URL(yield* serve(other)).port)
    assert.match(String(events), /^Address for events: failed: .* is answered by something else \(status 200\)/)
  }))

it.scoped("An address that can't be tried from here is not counted as wrong", () =>
  Effect.gen(function*() {
    const [loopback] = yield* checkAddresses(new URL("http://127.0.0.1:8000"))
    assert.deepInclude(loopback, { status: "unknown" })
    assert.match(String(loopback?.detail), /BACKEND_API_URL/)
    const [silent] = yield* checked("1")
    assert.match(String(silent), /^Address for events: unknown: .* does not answer this machine/)
  }))
