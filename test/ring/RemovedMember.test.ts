import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { request } from "../Http/RawHttp.ts"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { start, until } from "../support/Processes.ts"

/** The events until the service ends the stream. */
const eventsOf = (port: number, bearer: string) =>
  HttpClientRequest.get(`http://127.0.0.1:${port}/events`, { headers: { authorization: `Bearer ${bearer}` } }).pipe(
    HttpClient.execute,
    Effect.flatMap(({ stream }) => Stream.runDrain(stream)),
    Effect.provide(NodeHttpClient.layerUndici)
  )

processTest(
  "An admin who is removed at one process does nothing more at another, and no task of theirs goes on",
  function*() {
    const { issuer, token } = yield* makeIdentityProvider
    const deployment = yield* makeDeployment()
    const [here, there] = [yield* makePorts, yield* makePorts]
    const hosted = {
      ...deployment.environment,
      DEPLOYMENT_MODE: "hosted",
      OIDC_ISSUER: issuer,
      OIDC_AUDIENCE: audience,
      TEAM_OWNER_EMAIL: "owner@example.org"
    }
    yield* start("all", { ...hosted, ...here.environment })
    yield* start("api", { ...hosted, ...there.environment })
    const owner = yield* token({ sub: "owner", email: "owner@example.org" })
    const bob = yield* token({ sub: "bob", email: "bob@example.org" })
    const send = (port: number, method: string, path: string, bearer: string, body?: unknown) =>
      request(port, {
        method,
        path,
        headers: { authorization: `Bearer ${bearer}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    const invited = yield* send(here.http, "POST", "/team/invite", owner, { email: "bob@example.org", role: "admin" })
    const { id }: { id: string } = JSON.parse(invited.text)
    const message = "use wait {\"seconds\": 3600}"
    const made = yield* send(there.http, "POST", "/chat", bob, { message })
    const { task_id }: { task_id: string } = JSON.parse(made.text)
    const task = Effect.map(send(here.http, "GET", `/task/${task_id}`, owner), ({ text }) => text)
    yield* until("the task runs", Effect.map(task, (text) => text.includes("\"status\":\"running\"")))
    const reader = yield* Effect.fork(eventsOf(there.http, bob))

    assert.strictEqual((yield* send(here.http, "DELETE", `/team/members/${id}`, owner)).status, 204)
    // The first requests after it, which nothing has told the other process about but the database.
    const all = { url: "https://example.org/", tasks: "all" }
    const statuses = yield* Effect.all([
      send(there.http, "POST", "/api/subscriptions", bob, all),
      send(there.http, "POST", "/team/invite", bob, { email: "friend@example.org", role: "admin" }),
      send(there.http, "POST", "/api/skills/reload", bob),
      send(there.http, "POST", "/chat", bob, { message })
    ], { concurrency: "unbounded" })
    assert.deepStrictEqual(statuses.map(({ status }) => status), [403, 403, 403, 403])
    assert.include(yield* task, "Cancelled: its creator is no longer a member of the team.")
    yield* Effect.timeout(Fiber.join(reader), "20 seconds")
    const { members }: { members: ReadonlyArray<unknown> } = JSON.parse(
      (yield* send(here.http, "GET", "/team/info", owner)).text
    )
    assert.lengthOf(members, 1)
  }
)
