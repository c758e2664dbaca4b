import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "./hosted.ts"
import { Service } from "./service.ts"

/** The object in an answer. */
export const object = (text: string): Readonly<Record<string, unknown>> => JSON.parse(text)

const digest = "d".repeat(64)

export const tool = (name: string, hints: object = {}) => ({
  server: "shop",
  name,
  description: "",
  parameters: { type: "object" },
  isReadOnly: false,
  isIdempotent: false,
  digest,
  ...hints
})

/** The list of a server, as a worker has stored it; `accepted`: the tools whose definitions were accepted. */
export const listed = (tools: ReadonlyArray<ReturnType<typeof tool>>, accepted = tools) =>
  Effect.gen(function*() {
    const { query } = yield* Service
    yield* query(
      `insert into tool_server_pins (server, accepted, listed) values ('shop', $1, $2)
on conflict (server) do update set accepted = excluded.accepted, listed = excluded.listed`,
      [JSON.stringify(accepted.map((one) => [one.name, one.digest])), JSON.stringify(tools)]
    )
  })

/** A worker has reported, so that nobody waits for one to connect the servers. */
export const reported = (service: Service["Type"]) =>
  service.query(
    `insert into tool_server_reports (process, version, servers, reported_at)
values (gen_random_uuid(), 1000000, '[]', now() + interval '1 hour')`
  )

export const selfHosted = Effect.map(
  Service,
  ({ port }) => (method: string, path: string, body?: unknown) => send(port, method, path, null, body)
)

export const configured = (entry: object) =>
  Effect.gen(function*() {
    const call = yield* selfHosted
    const { status, text } = yield* call("POST", "/api/mcp/configure", { mcpServers: { shop: entry } })
    assert.strictEqual(status, 200, text)
  })

export const tested = (name: string, body: object = {}) =>
  Effect.gen(function*() {
    const call = yield* selfHosted
    const { status, text } = yield* call("POST", `/api/mcp/servers/shop/tools/${encodeURIComponent(name)}/test`, body)
    assert.strictEqual(status, 200, text)
    return object(text)
  })
