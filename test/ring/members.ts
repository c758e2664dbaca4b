import { HttpBody, HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Effect, Stream } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { v7 } from "uuid"
import { query } from "../support/Database.ts"
import { type Deployment, makeDeployment, makePorts } from "../support/Deployment.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { start, until } from "../support/Processes.ts"

/** In everything that only Ann may see. */
export const secret = "FOR ANN ALONE"

/** What finds the memory of Ann. */
export const forAnn = "what is for Ann"

interface Answer {
  readonly status: number
  readonly text: string
}

export type Send = (method: string, path: string, body?: unknown) => Effect.Effect<Answer>

/** A stream of events does not end. */
const textOf = ({ headers, stream, text }: HttpClientResponse.HttpClientResponse) =>
  headers["content-type"]?.startsWith("text/event-stream") === true
    ? stream.pipe(Stream.interruptAfter("1 second"), Stream.decodeText(), Stream.mkString)
    : text

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
    Effect.flatMap((response) => Effect.map(textOf(response), (text) => ({ status: response.status, text }))),
    Effect.timeout("60 seconds"),
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
export const givenTeam = Effect.fnUntraced(function*() {
  const provider = yield* makeIdentityProvider
  const deployment = yield* makeDeployment()
  const ports = yield* makePorts
  yield* start("all", {
    ...deployment.environment,
    ...ports.environment,
    DEPLOYMENT_MODE: "hosted",
    OIDC_ISSUER: provider.issuer,
    OIDC_AUDIENCE: audience,
    TEAM_OWNER_EMAIL: "owner@example.org"
  })
  const member = (name: string) =>
    Effect.map(
      provider.token({ sub: name, email: `${name}@example.org`, name }),
      (token) => sender(ports.http, token)
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
    deployment
  }
})

const identified = (answer: Answer) => {
  assert.include([200, 201, 202], answer.status, answer.text)
  return parsed<{ id: string }>(answer).id
}

/** The team sees its title. */
const submitted = (send: Send, message: string) =>
  Effect.map(
    send("POST", "/chat", { message, title: "A task of Ann" }),
    (answer) => {
      assert.strictEqual(answer.status, 202, answer.text)
      return parsed<{ task_id: string }>(answer).task_id
    }
  )

/** A task that remembers, finds and reads what is for Ann, and asks her about it. */
const givenMemory = (ann: Send, annId: string) =>
  Effect.gen(function*() {
    const taskId = yield* submitted(
      ann,
      [
        `use memory_save ${JSON.stringify({ content: `What is for Ann: ${secret}` })}`,
        `use memory_search {"query": "${forAnn}"}`,
        "use read_file {\"path\": \"notes.txt\"}",
        `use ask_human {"question": "Which one: ${secret}?"}`
      ].join("\n\n")
    )
    yield* ended(ann, taskId, "waiting_input")
    const [, found, read] = parsed<ReadonlyArray<{ role: string; content: string }>>(
      yield* ann("GET", `/task/${taskId}/messages?full=true`)
    ).filter(({ role }) => role === "tool")
    assert.include(found?.content, secret)
    assert.include(read?.content, secret)
    const memories = parsed<ReadonlyArray<{ id: string }>>(yield* ann("GET", `/users/${annId}/memories`))
    assert.lengthOf(memories, 1)
    return { taskId, memoryId: memories[0]?.id ?? "" }
  })

/** A task that was cancelled with a reason, and one of a webhook. */
const givenEnded = (ann: Send, owner: Send) =>
  Effect.gen(function*() {
    const failedTaskId = yield* submitted(ann, `use ask_human {"question": "${secret}"}`)
    yield* ended(ann, failedTaskId, "waiting_input")
    const cancelled = yield* ann("POST", `/task/${failedTaskId}/cancel`, { reason: secret })
    assert.include(cancelled.text, `Cancelled: ${secret}`)
    assert.strictEqual((yield* ann("POST", "/webhook/orders", { order: secret })).status, 200)
    const made = Effect.map(
      owner("GET", "/tasks?webhook_type=orders&status=completed"),
      (answer) => parsed<ReadonlyArray<{ id: string }>>(answer)
    )
    yield* until("the webhook's task has ended", Effect.map(made, ({ length }) => length === 1), "40 seconds")
    const webhookTaskId = (yield* made)[0]?.id ?? ""
    assert.include((yield* owner("GET", `/task/${webhookTaskId}`)).text, secret)
    return { failedTaskId, webhookTaskId }
  })

/** A schedule, a subscription with a delivery, and a private channel. */
const givenPlans = (ann: Send, annId: string, url: Deployment["url"]) =>
  Effect.gen(function*() {
    const every = "0 9 1 1 *"
    const scheduleId = identified(yield* ann("POST", "/api/schedules", { message: secret, every }))
    const target = `https://hooks.example.org/${encodeURIComponent(secret)}`
    const subscriptionId = identified(
      yield* ann("POST", "/api/subscriptions", { url: target, events: ["task.archived"] })
    )
    const [deliveryId, channelId] = [v7(), "CANN"]
    yield* query(
      url,
      `insert into outbox (id, channel, recipient, kind, user_id, payload, state, last_error, due_at, ended_at)
       values ($1, 'webhook', $2, 'task.archived', $3, '{}', 'failed', $4, null, now())`,
      [deliveryId, subscriptionId, annId, secret]
    )
    yield* query(
      url,
      `insert into channels (channel_id, id, name, topic, purpose, is_private, is_active, is_member, member_count)
       values ($1, gen_random_uuid(), 'ann', $2, '', true, true, true, 1)`,
      [channelId, secret]
    )
    yield* query(url, "insert into channel_members (channel_id, user_id, role) values ($1, $2, $3)", [
      channelId,
      annId,
      secret
    ])
    return { scheduleId, subscriptionId, deliveryId, channelId }
  })

/** Everything of Ann: what she has configured and remembers, a notification, files, and tasks, of which one asks her. */
export const givenAnn = (ann: Send, owner: Send, annId: string, { storage, url }: Deployment) =>
  Effect.gen(function*() {
    yield* ann("PUT", `/users/${annId}`, { title: secret })
    yield* Effect.promise(async () => {
      await mkdir(join(storage, annId, "folder"), { recursive: true })
      await writeFile(join(storage, annId, "notes.txt"), secret)
      await writeFile(join(storage, annId, "folder", "notes.txt"), secret)
    })
    const { memoryId, taskId } = yield* givenMemory(ann, annId)
    const tasks = yield* givenEnded(ann, owner)
    const plans = yield* givenPlans(ann, annId, url)
    const notificationId = v7()
    yield* query(
      url,
      "insert into notifications (id, user_id, kind, title, body) values ($2, $1, 'reminder', $3, 'Now')",
      [annId, notificationId, secret]
    )
    const header = { url: "https://tools.example.org/mcp", headers: { "x-key": secret }, disabled: true }
    assert.strictEqual((yield* owner("POST", "/api/mcp/configure", { mcpServers: { tools: header } })).status, 200)
    const outputTaskId = yield* submitted(ann, "use attach_file {\"path\": \"notes.txt\"}")
    yield* ended(ann, outputTaskId, "completed")
    return { ...plans, ...tasks, annId, memoryId, notificationId, taskId }
  })
