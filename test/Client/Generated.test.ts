import * as OpenApi from "@effect/platform/OpenApi"
import { assert, describe, it } from "@effect/vitest"
import type * as Event from "@troupe/api/TaskEvent"
import { TroupeApi } from "@troupe/api/TroupeApi"
import type * as Client from "@troupe/client"
import { createTroupe } from "@troupe/client"
import type * as Domain from "@troupe/domain/Task"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../packages/client/", import.meta.url))

interface Generator {
  readonly sources: () => Promise<Readonly<Record<string, string>>>
}

/** True where each type can stand for the other. */
type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : false : false

/** What the chat platform calls, the protocol of MCP clients, and pages of browsers: reached by `http` only. */
const byPath = [
  "signIn.login",
  "signIn.callback",
  "mcp.message",
  "chatRequests.event",
  "chatRequests.interaction",
  "chatRequests.command"
]
const streams = ["tasks.events", "tasks.allEvents"]

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

describe("The promise client", () => {
  it("has the types and methods of the current OpenAPI document", async () => {
    const { sources }: Generator = await import(`${folder}generate.mjs`)
    for (const [name, source] of Object.entries(await sources())) {
      const isCurrent = readFileSync(`${folder}src/generated/${name}`, "utf8") === source
      assert.isTrue(isCurrent, `packages/client/src/generated/${name} is not current: npm run generate`)
    }
  })

  it("has a method for every operation of the document", () => {
    const groups = new Map<string, unknown>(Object.entries(createTroupe({ url: "http://localhost" })))
    const methods = [...groups].flatMap(([group, value]) =>
      isRecord(value) ? Object.keys(value).map((name) => `${group}.${name}`) : []
    )
    const operations = Object.values(OpenApi.fromApi(TroupeApi).paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId)
    )
    assert.isAbove(operations.length, 80)
    assert.deepStrictEqual(operations.filter((id) => !methods.includes(id)).sort(), [...byPath, ...streams].sort())
    assert.containsAllKeys(Object.fromEntries(groups), ["watch", "watchAll", "http"])
  })

  it("has the types of the schemas", () => {
    const same: {
      readonly task: Same<Client.Task, typeof Domain.Task.Encoded>
      readonly event: Same<Client.TaskEvent, typeof Event.TaskEvent.Encoded>
      readonly anyEvent: Same<Client.AnyTaskEvent, typeof Event.AnyTaskEvent.Encoded>
    } = { task: true, event: true, anyEvent: true }
    assert.isTrue(Object.values(same).every((is) => is))
  })
})
