import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { makeBrowser, ownPage, signIn } from "../support/Browser.ts"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { start, until } from "../support/Processes.ts"

const eventsOf = (port: number, cookie: string) =>
  HttpClientRequest.get(`http://127.0.0.1:${port}/events`, { headers: { ...ownPage, cookie } }).pipe(
    HttpClient.execute,
    Effect.flatMap(({ status, stream }) => Effect.as(Stream.runDrain(stream), status)),
    Effect.provide(NodeHttpClient.layerUndici)
  )

processTest(
  "A browser signed in at one process works at another, and loses its session there with the seat",
  function*() {
    const { issuer, signsIn, token } = yield* makeIdentityProvider
    const deployment = yield* makeDeployment()
    const [here, there] = [yield* makePorts, yield* makePorts]
    const hosted = {
      ...deployment.environment,
      DEPLOYMENT_MODE: "hosted",
      OIDC_ISSUER: issuer,
      OIDC_AUDIENCE: audience,
      OIDC_CLIENT_ID: "browsers",
      BACKEND_API_URL: `http://127.0.0.1:${here.http}`,
      TEAM_OWNER_EMAIL: "owner@example.org"
    }
    yield* start("all", { ...hosted, ...here.environment })
    yield* start("api", { ...hosted, ...there.environment })
    const owner = { headers: { authorization: `Bearer ${yield* token({ sub: "owner", email: "owner@example.org" })}` } }
    const admin = makeBrowser(here.http)
    const bob = makeBrowser(here.http)
    const invite = admin.send("POST", "/team/invite", { ...owner, body: { email: "bob@example.org", role: "admin" } })
    yield* until("the owner is signed in", Effect.map(invite, ({ status }) => status === 201))
    const { members }: { members: ReadonlyArray<{ id: string; email: string }> } = JSON.parse(
      (yield* admin.send("GET", "/team/info", owner)).text
    )
    const id = members.find(({ email }) => email === "bob@example.org")?.id ?? ""

    signsIn({ sub: "bob", email: "bob@example.org" })
    const { headers, status, text } = yield* signIn(bob, "/tasks")
    assert.strictEqual(status, 302, text)
    assert.strictEqual(headers["location"], `http://127.0.0.1:${here.http}/tasks`)
    const elsewhere = makeBrowser(there.http, bob.jar)
    const made = yield* elsewhere.send("POST", "/chat", {
      headers: ownPage,
      body: { message: "use list_directory {}" }
    })
    assert.strictEqual(made.status, 202, made.text)
    const cookie = `troupe_session=${bob.jar.get("troupe_session")}`

    const reader = yield* Effect.fork(eventsOf(there.http, cookie))
    const other = makeBrowser(here.http)
    yield* signIn(other)
    const readers = yield* Effect.fork(eventsOf(there.http, `troupe_session=${other.jar.get("troupe_session")}`))
    const out = yield* other.send("POST", "/auth/logout", { headers: ownPage, body: {} })
    assert.strictEqual(out.status, 204, out.text)
    yield* Effect.timeout(Fiber.join(readers), "20 seconds")
    assert.strictEqual((yield* elsewhere.send("GET", "/tasks")).status, 200)

    assert.strictEqual((yield* admin.send("DELETE", `/team/members/${id}`, owner)).status, 204)
    const changes = yield* Effect.all([
      elsewhere.send("POST", "/chat", { headers: ownPage, body: { message: "m" } }),
      elsewhere.send("POST", "/api/skills/reload", { headers: ownPage }),
      bob.send("GET", "/tasks")
    ], { concurrency: "unbounded" })
    assert.deepStrictEqual(changes.map(({ status }) => status), [401, 401, 401])
    assert.strictEqual(yield* Effect.timeout(Fiber.join(reader), "20 seconds"), 200)
  }
)
