import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { request } from "../Http/RawHttp.ts"
import { makeBrowser, ownPage, signIn } from "../support/Browser.ts"
import { say, sendEvent } from "../support/ChatEvents.ts"
import { chatToken, type FakePlatform, makeChatPlatform, signingSecret } from "../support/ChatPlatform.ts"
import type { FakeUser } from "../support/ChatPlatformState.ts"
import { query } from "../support/Database.ts"
import { type Deployment, makeDeployment, makePorts } from "../support/Deployment.ts"
import { audience, type IdentityProvider, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { start, until } from "../support/Processes.ts"

/** A hosted service of two processes, which these tests share. */
class Hosted extends Context.Tag("troupe/test/ring/SignIn.test/Hosted")<Hosted, {
  readonly deployment: Deployment
  readonly platform: FakePlatform
  /** Who was in the team chat before the service started. */
  readonly people: { readonly ada: FakeUser; readonly bob: FakeUser; readonly cleo: FakeUser }
  readonly provider: IdentityProvider
  readonly here: number
  readonly there: number
  readonly owner: string
}>() {}

const hosted = Layer.scoped(
  Hosted,
  Effect.gen(function*() {
    const provider = yield* makeIdentityProvider
    const platform = yield* makeChatPlatform
    const person = (name: string, email: string | undefined) => platform.state.user(name, { profile: { email } })
    const ada = person("ADA", "Ada@Example.org")
    const people = { ada, bob: person("BOB", "BOB@example.org"), cleo: person("CLEO", undefined) }
    const deployment = yield* makeDeployment()
    const [here, there] = [yield* makePorts, yield* makePorts]
    const environment = {
      ...deployment.environment,
      DEPLOYMENT_MODE: "hosted",
      OIDC_ISSUER: provider.issuer,
      OIDC_AUDIENCE: audience,
      OIDC_CLIENT_ID: "browsers",
      BACKEND_API_URL: `http://127.0.0.1:${here.http}`,
      TIER: "team",
      TEAM_OWNER_EMAIL: "ada@example.org",
      CHAT_API_URL: platform.url.href,
      CHAT_BOT_TOKEN: chatToken,
      CHAT_SIGNING_SECRET: signingSecret
    }
    yield* Effect.all([
      start("all", { ...environment, ...here.environment }),
      start("api", { ...environment, ...there.environment })
    ], { concurrency: 2 })
    const owner = yield* provider.token({ sub: "ada", email: "ada@example.org", name: "ada" })
    return { deployment, platform, people, provider, here: here.http, there: there.http, owner }
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
    "Who was in the team chat before the first sign-in is one user, with the earlier tasks and files",
    () =>
      Effect.gen(function*() {
        const { deployment, here, people: { ada, bob, cleo }, platform, provider: { token } } = yield* Hosted
        const users = query<{ id: string; account: string }>(
          deployment.url,
          "select user_id as id, account from chat_accounts where deactivated_at is null"
        )
        yield* until("the first sync has ended", Effect.map(users, ({ length }) => length >= 3), "40 seconds")
        const found = new Map((yield* users).map(({ account, id }) => [account, id]))

        const member = (name: string) =>
          Effect.map(
            token({ sub: name, email: `${name}@example.org`, name }),
            (bearer) => (method: string, path: string, body?: unknown) => send(here, method, path, bearer, body)
          )
        const [asAda, asBob, asCleo] = yield* Effect.all([member("ada"), member("bob"), member("cleo")])
        for (const name of ["bob", "cleo"]) {
          assert.strictEqual((yield* asAda("POST", "/team/invite", { email: `${name}@example.org` })).status, 201)
        }
        const taskIds = yield* Effect.forEach([bob, cleo], ({ id }) =>
          Effect.map(
            asAda("POST", "/chat", {
              user_id: found.get(id),
              message: "use write_file {\"path\": \"plan.md\", \"content\": \"the plan\"}"
            }),
            ({ text }) => (JSON.parse(text) as { task_id: string }).task_id
          ))
        for (const id of taskIds) {
          yield* until(
            "the task has ended",
            Effect.map(asAda("GET", `/task/${id}`), ({ text }) => text.includes("\"status\":\"completed\"")),
            "40 seconds"
          )
        }

        // Cleo's address becomes known after the sign-in, so that there are two users until the next sync.
        assert.strictEqual((yield* asCleo("GET", "/tasks")).status, 200)
        Object.assign(cleo.profile, { email: "Cleo@example.org" })
        assert.strictEqual((yield* asAda("POST", "/api/channels/sync")).status, 200)

        const people = [[asAda, ada, null], [asBob, bob, taskIds[0]], [asCleo, cleo, taskIds[1]]] as const
        for (const [as, { id: chatUserId }, earlier] of people) {
          const channel = platform.state.directMessage(chatUserId)
          for (const event of say(platform, { channel, user: chatUserId, text: "use get_current_time {}" }).events) {
            const reply = yield* sendEvent(`http://127.0.0.1:${here}/team-chat/dm_response`, event)
            assert.strictEqual(reply.status, 200)
          }
          const tasks = Effect.map(
            as("GET", "/tasks"),
            ({ text }) =>
              JSON.parse(text) as ReadonlyArray<{ id: string; creator: string; source: string; status: string }>
          )
          yield* until(
            "the task of the chat has ended",
            Effect.map(tasks, (all) => all.some(({ source, status }) => source === "chat" && status === "completed")),
            "40 seconds"
          )
          const info = JSON.parse((yield* as("GET", "/team/info")).text) as {
            members: ReadonlyArray<{ email: string; user_id: string }>
          }
          const email = `${chatUserId.slice(1).toLowerCase()}@example.org`
          const own = info.members.find((one) => one.email === email)?.user_id ?? ""
          if (earlier === null) continue
          assert.deepInclude((yield* tasks).find(({ id }) => id === earlier), { creator: own })
          const file = yield* as("GET", `/files/${own}/plan.md`)
          assert.deepStrictEqual([file.status, file.text], [200, "the plan"])
        }
        assert.lengthOf(yield* users, 3)
      }),
    180_000
  )

  it.scoped(
    "A browser signed in at one process works at another, and loses its session there with the seat",
    () =>
      Effect.gen(function*() {
        const { here, owner, provider: { signsIn }, there } = yield* Hosted
        const dora = makeBrowser(here)
        const body = { email: "dora@example.org", role: "admin" }
        assert.strictEqual((yield* send(here, "POST", "/team/invite", owner, body)).status, 201)
        const { members }: { members: ReadonlyArray<{ id: string; email: string }> } = JSON.parse(
          (yield* send(here, "GET", "/team/info", owner)).text
        )
        const id = members.find(({ email }) => email === body.email)?.id ?? ""

        signsIn({ sub: "dora", email: "dora@example.org" })
        const { headers, status, text } = yield* signIn(dora, "/tasks")
        assert.strictEqual(status, 302, text)
        assert.strictEqual(headers["location"], `http://127.0.0.1:${here}/tasks`)
        const elsewhere = makeBrowser(there, dora.jar)
        const made = yield* elsewhere.send("POST", "/chat", {
          headers: ownPage,
          body: { message: "use list_directory {}" }
        })
        assert.strictEqual(made.status, 202, made.text)
        const cookieOf = ({ jar }: typeof dora) => ({
          ...ownPage,
          cookie: `troupe_session=${jar.get("troupe_session")}`
        })

        const reader = yield* Effect.fork(eventsOf(there, cookieOf(dora)))
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
          dora.send("GET", "/tasks")
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
        const eve = yield* token({ sub: "eve", email: "eve@example.org" })
        const invited = yield* send(here, "POST", "/team/invite", owner, { email: "eve@example.org", role: "admin" })
        const { id }: { id: string } = JSON.parse(invited.text)
        const message = "use wait {\"seconds\": 3600}"
        const made = yield* send(there, "POST", "/chat", eve, { message })
        const { task_id }: { task_id: string } = JSON.parse(made.text)
        const task = Effect.map(send(here, "GET", `/task/${task_id}`, owner), ({ text }) => text)
        yield* until("the task runs", Effect.map(task, (text) => text.includes("\"status\":\"running\"")))
        const reader = yield* Effect.fork(eventsOf(there, { authorization: `Bearer ${eve}` }))

        assert.strictEqual((yield* send(here, "DELETE", `/team/members/${id}`, owner)).status, 204)
        // The first requests after it, which nothing has told the other process about but the database.
        const all = { url: "https://example.org/", tasks: "all" }
        const statuses = yield* Effect.all([
          send(there, "POST", "/api/subscriptions", eve, all),
          send(there, "POST", "/team/invite", eve, { email: "friend@example.org", role: "admin" }),
          send(there, "POST", "/api/skills/reload", eve),
          send(there, "POST", "/chat", eve, { message })
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(statuses.map(({ status }) => status), [403, 403, 403, 403])
        assert.include(yield* task, "Cancelled: its creator is no longer a member of the team.")
        yield* Effect.timeout(Fiber.join(reader), "20 seconds")
        const { members }: { members: ReadonlyArray<{ id: string }> } = JSON.parse(
          (yield* send(here, "GET", "/team/info", owner)).text
        )
        assert.notInclude(members.map((member) => member.id), id)
      }),
    180_000
  )
})
