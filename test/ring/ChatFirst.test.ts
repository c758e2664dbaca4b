import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "../Http/RawHttp.ts"
import { say, sendEvent } from "../support/ChatEvents.ts"
import { chatToken, makeChatPlatform, signingSecret } from "../support/ChatPlatform.ts"
import { query } from "../support/Database.ts"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { start, until } from "../support/Processes.ts"

processTest(
  "Who was in the team chat before the first sign-in is one user, with the earlier tasks and files",
  function*() {
    const { issuer, token } = yield* makeIdentityProvider
    const platform = yield* makeChatPlatform
    const ada = platform.state.user("ADA", { profile: { email: "Ada@Example.org" } })
    const bob = platform.state.user("BOB", { profile: { email: "BOB@example.org" } })
    const cleo = platform.state.user("CLEO", { profile: { email: undefined } })
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    yield* start("all", {
      ...deployment.environment,
      ...ports.environment,
      DEPLOYMENT_MODE: "hosted",
      OIDC_ISSUER: issuer,
      OIDC_AUDIENCE: audience,
      TEAM_OWNER_EMAIL: "ada@example.org",
      CHAT_API_URL: platform.url.href,
      CHAT_BOT_TOKEN: chatToken,
      CHAT_SIGNING_SECRET: signingSecret
    })
    const users = query<{ id: string; chat_user_id: string }>(
      deployment.url,
      "select id, chat_user_id from users where chat_user_id is not null"
    )
    yield* until("the first sync has ended", Effect.map(users, ({ length }) => length >= 3), "40 seconds")
    const found = new Map((yield* users).map(({ chat_user_id, id }) => [chat_user_id, id]))

    const member = (name: string) =>
      Effect.map(
        token({ sub: name, email: `${name}@example.org`, name }),
        (bearer) => (method: string, path: string, body?: unknown) =>
          request(ports.http, {
            method,
            path,
            headers: { authorization: `Bearer ${bearer}` },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
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
        const reply = yield* sendEvent(`http://127.0.0.1:${ports.http}/team-chat/dm_response`, event)
        assert.strictEqual(reply.status, 200)
      }
      const tasks = Effect.map(
        as("GET", "/tasks"),
        ({ text }) => JSON.parse(text) as ReadonlyArray<{ id: string; creator: string; source: string; status: string }>
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
  }
)
