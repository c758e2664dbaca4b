import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { request } from "../Http/RawHttp.ts"
import { makeBrowser, ownPage, signIn } from "../support/Browser.ts"
import { makeDeployment, makePorts } from "../support/Deployment.ts"
import { audience, type IdentityProvider, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { start, until } from "../support/Processes.ts"

/** A hosted service of two processes, which these tests share. */
class Hosted extends Context.Tag("troupe/test/ring/BrowserSignIn.test/Hosted")<Hosted, {
  readonly provider: IdentityProvider
  readonly here: number
  readonly there: number
  readonly owner: string
}>() {}

const hosted = Layer.scoped(
  Hosted,
  Effect.gen(function*() {
    const provider = yield* makeIdentityProvider
    const deployment = yield* makeDeployment()
    const [here, there] = [yield* makePorts, yield* makePorts]
    const environment = {
      ...deployment.environment,
      DEPLOYMENT_MODE: "hosted",
      OIDC_ISSUER: provider.issuer,
      OIDC_AUDIENCE: audience,
      OIDC_CLIENT_ID: "browsers",
      BACKEND_API_URL: `http://127.0.0.1:${here.http}`,
      TEAM_OWNER_EMAIL: "owner@example.org"
    }
    yield* Effect.all([
      start("all", { ...environment, ...here.environment }),
      start("api", { ...environment, ...there.environment })
    ], { concurrency: 2 })
    const owner = yield* provider.token({ sub: "owner", email: "owner@example.org" })
    return { provider, here: here.http, there: there.http, owner }
  })
)

/** Reads the events until the service ends the stream; yields the status. */
const eventsOf = (port: number, headers: Readonly<Record<string, string>>) =>
  HttpClientRequest.get(`http://127.0.0.1:${port}/events`, { headers }).pipe(
    HttpClient.execute,
    Effect.flatMap(({ status, stream }) => Effect.as(Stream.runDrain(stream), status)),
    Effect.provide(NodeHttpClient.layerUndici)
  )

const send = (port: number, method: string, path: string, bearer: string, body?: unknown) =>
  request(port, {
    method,
    path,
    headers: { authorization: `Bearer ${bearer}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

layer(hosted, { excludeTestServices: true, timeout: "180 seconds" })("A team of two processes", (it) => {
  it.scoped(
    "A browser signed in at one process works at another, and loses its session there with the seat",
    () =>
      Effect.gen(function*() {
        const { here, owner, provider: { signsIn }, there } = yield* Hosted
        const bob = makeBrowser(here)
        const body = { email: "bob@example.org", role: "admin" }
        const invite = send(here, "POST", "/team/invite", owner, body)
        yield* until("the owner is signed in", Effect.map(invite, ({ status }) => status === 201))
        const { members }: { members: ReadonlyArray<{ id: string; email: string }> } = JSON.parse(
          (yield* send(here, "GET", "/team/info", owner)).text
        )
        const id = members.find(({ email }) => email === body.email)?.id ?? ""

        signsIn({ sub: "bob", email: "bob@example.org" })
        const { headers, status, text } = yield* signIn(bob, "/tasks")
        assert.strictEqual(status, 302, text)
        assert.strictEqual(headers["location"], `http://127.0.0.1:${here}/tasks`)
        const elsewhere = makeBrowser(there, bob.jar)
        const made = yield* elsewhere.send("POST", "/chat", {
          headers: ownPage,
          body: { message: "use list_directory {}" }
        })
        assert.strictEqual(made.status, 202, made.text)
        const cookieOf = ({ jar }: typeof bob) => ({
          ...ownPage,
          cookie: `troupe_session=${jar.get("troupe_session")}`
        })

        const reader = yield* Effect.fork(eventsOf(there, cookieOf(bob)))
        const other = makeBrowser(here)
        yield* signIn(other)
        const readers = yield* Effect.fork(eventsOf(there, cookieOf(other)))
        const out = yield* other.send("POST", "/auth/logout", { headers: ownPage, body: {} })
        assert.strictEqual(out.status, 204, out.text)
        yield* Effect.timeout(Fiber.join(readers), "20 seconds")
        assert.strictEqual((yield* elsewhere.send("GET", "/tasks")).status, 200)

        assert.strictEqual((yield* send(here, "DELETE", `/team/members/${id}`, owner)).status, 204)
        const changes = yield* Effect.all([
          elsewhere.send("POST", "/chat", { headers: ownPage, body: { message: "m" } }),
          elsewhere.send("POST", "/api/skills/reload", { headers: ownPage }),
          bob.send("GET", "/tasks")
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(changes.map(({ status }) => status), [401, 401, 401])
        assert.strictEqual(yield* Effect.timeout(Fiber.join(reader), "20 seconds"), 200)
      }),
    180_000
  )

  it.scoped(
    "An admin who is removed at one process does nothing more at another, and no task of theirs goes on",
    () =>
      Effect.gen(function*() {
        const { here, owner, provider: { token }, there } = yield* Hosted
        const cleo = yield* token({ sub: "cleo", email: "cleo@example.org" })
        const invited = yield* send(here, "POST", "/team/invite", owner, { email: "cleo@example.org", role: "admin" })
        const { id }: { id: string } = JSON.parse(invited.text)
        const message = "use wait {\"seconds\": 3600}"
        const made = yield* send(there, "POST", "/chat", cleo, { message })
        const { task_id }: { task_id: string } = JSON.parse(made.text)
        const task = Effect.map(send(here, "GET", `/task/${task_id}`, owner), ({ text }) => text)
        yield* until("the task runs", Effect.map(task, (text) => text.includes("\"status\":\"running\"")))
        const reader = yield* Effect.fork(eventsOf(there, { authorization: `Bearer ${cleo}` }))

        assert.strictEqual((yield* send(here, "DELETE", `/team/members/${id}`, owner)).status, 204)
        // The first requests after it, which nothing has told the other process about but the database.
        const all = { url: "https://example.org/", tasks: "all" }
        const statuses = yield* Effect.all([
          send(there, "POST", "/api/subscriptions", cleo, all),
          send(there, "POST", "/team/invite", cleo, { email: "friend@example.org", role: "admin" }),
          send(there, "POST", "/api/skills/reload", cleo),
          send(there, "POST", "/chat", cleo, { message })
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(statuses.map(({ status }) => status), [403, 403, 403, 403])
        assert.include(yield* task, "Cancelled: its creator is no longer a member of the team.")
        yield* Effect.timeout(Fiber.join(reader), "20 seconds")
        const { members }: { members: ReadonlyArray<unknown> } = JSON.parse(
          (yield* send(here, "GET", "/team/info", owner)).text
        )
        assert.lengthOf(members, 1)
      }),
    180_000
  )
})
