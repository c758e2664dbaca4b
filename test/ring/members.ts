import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Effect } from "effect"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { v7 } from "uuid"
import { query } from "../support/Database.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { start, until } from "../support/Processes.ts"
import { makeRing, makeSeat, type Ring } from "../support/Ring.ts"

/** In everything that only Ann may see. */
export const secret = "FOR ANN ALONE"

interface Answer {
  readonly status: number
  readonly text: string
}

type Send = (method: string, path: string, body?: unknown) => Effect.Effect<Answer>

const sender = (port: number, token: string): Send => (method, path, body) =>
  HttpClientRequest.make(method as "GET")(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined
      ? {}
      : {
        body: path === rpcPath ? HttpBody.text(JSON.stringify(body), "application/ndjson") : HttpBody.unsafeJson(body)
      })
  }).pipe(
    HttpClient.execute,
    Effect.flatMap((response) => Effect.map(response.text, (text) => ({ status: response.status, text }))),
    // A stream of events does not end.
    Effect.timeoutTo({
      duration: "3 seconds",
      onSuccess: (answer) => answer,
      onTimeout: () => ({ status: 0, text: "" })
    }),
    Effect.scoped,
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.orDie
  )

export const parsed = <A>({ text }: Answer): A => JSON.parse(text)

const idOf = (send: Send, email: string) =>
  Effect.map(send("GET", "/team/info"), (answer) => {
    const { members } = parsed<{ members: ReadonlyArray<{ user_id: string | null; email: string }> }>(answer)
    return members.find((member) => member.email === email)?.user_id ?? ""
  })

export const ended = (send: Send, id: string, status: string) =>
  until(
    `task ${id} is ${status}`,
    Effect.map(send("GET", `/task/${id}`), (answer) => parsed<{ status: string }>(answer).status === status),
    "40 seconds"
  )

/** A service with an owner and two members, each of whom has signed in. */
export const givenTeam = Effect.gen(function*() {
  const provider = yield* makeIdentityProvider
  const ring = yield* makeRing()
  const seat = yield* makeSeat
  yield* start("all", {
    ...ring.environment,
    ...seat.environment,
    DEPLOYMENT_MODE: "hosted",
    OIDC_ISSUER: provider.issuer,
    OIDC_AUDIENCE: audience,
    TEAM_OWNER_EMAIL: "owner@example.org"
  })
  const member = (name: string) =>
    Effect.map(
      provider.token({ sub: name, email: `${name}@example.org`, name }),
      (token) => sender(seat.port, token)
    )
  const [owner, ann, bob] = yield* Effect.all([member("owner"), member("ann"), member("bob")])
  for (const name of ["ann", "bob"]) yield* owner("POST", "/team/invite", { email: `${name}@example.org` })
  for (const send of [ann, bob]) assert.strictEqual((yield* send("GET", "/tasks")).status, 200)
  return {
    owner,
    ann,
    bob,
    annId: yield* idOf(ann, "ann@example.org"),
    bobId: yield* idOf(ann, "bob@example.org"),
    ring
  }
})

/** Everything of Ann: a profile, a file, a memory, a notification, and a task that asks her. */
export const givenAnn = (ann: Send, owner: Send, annId: string, { storage, url }: Ring) =>
  Effect.gen(function*() {
    yield* ann("PUT", `/users/${annId}`, { title: secret })
    yield* Effect.promise(async () => {
      await mkdir(join(storage, annId), { recursive: true })
      await writeFile(join(storage, annId, "notes.txt"), secret)
    })
    yield* query(url, "insert into memory_owners values ($1, 1, 0, 1)", [annId])
    const [memoryId, notificationId] = [v7(), v7()]
    yield* query(
      url,
      `insert into memories values ($2, $1, $3, '{}', null, 'hashed-n-grams', 1, '{1}', 1, now(), now())`,
      [annId, memoryId, secret]
    )
    yield* query(
      url,
      "insert into notifications (id, user_id, kind, title, body) values ($2, $1, 'reminder', $3, 'Now')",
      [annId, notificationId, secret]
    )
    const header = { url: "https://tools.example.org/mcp", headers: { "x-key": secret }, disabled: true }
    assert.strictEqual((yield* owner("POST", "/api/mcp/configure", { mcpServers: { tools: header } })).status, 200)
    const chat = yield* ann("POST", "/chat", { message: "use ask_human {\"question\": \"Which one?\"}" })
    const { task_id: taskId } = parsed<{ task_id: string }>(chat)
    yield* ended(ann, taskId, "waiting_input")
    return { annId, memoryId, notificationId, taskId }
  })

/** All of Ann as she sees it herself, and as it is stored. */
export const snapshot = (
  ann: Send,
  { annId, taskId }: { readonly annId: string; readonly taskId: string },
  ring: Ring
) =>
  Effect.gen(function*() {
    const seen = yield* Effect.forEach(
      [`/task/${taskId}`, `/users/${annId}/notifications`, `/task/${taskId}/messages`],
      (path) => ann("GET", path)
    )
    const rows = yield* Effect.forEach(
      ["select * from users where id = $1", "select * from memories where user_id = $1"],
      (text) => query(ring.url, text, [annId])
    )
    const folder = join(ring.storage, annId)
    const files = yield* Effect.promise(async () =>
      Promise.all(
        (await readdir(folder)).sort().map(async (name) => [name, await readFile(join(folder, name), "utf8")])
      )
    )
    const servers = yield* query(ring.url, "select version::integer from tool_server_config")
    return { seen, rows, files, servers }
  })
