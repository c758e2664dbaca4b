import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, FastCheck, Layer, Schema } from "effect"
import { signed } from "../support/ChatEvents.ts"
import { signingSecret } from "../support/ChatPlatform.ts"
import { hosted, People } from "./hosted.ts"
import { type Call, formsOf, invalidOf, jsonBody, operations, validOf } from "./OpenApiCalls.ts"
import { Service } from "./service.ts"
import { isRefused, isTaken, makeChecks, send, walked } from "./walk.ts"
import { given } from "./walkedThings.ts"

/** Whose owner is a person of the chat platform, too. */
const service = hosted({ MAX_USERS: "1000", CHAT_SIGNING_SECRET: signingSecret }).pipe(
  Layer.tap((context) =>
    Effect.sync(() => Context.get(context, Service).chat.state.user("ADA", { profile: { email: "owner@example.org" } }))
  )
)

const operationsIn = (folder: string) => operations.filter(({ path }) => path.startsWith(folder))

const asOwner = (call: Call) =>
  Effect.map(People, ({ owner }): Call => ({ ...call, headers: { ...call.headers, authorization: `Bearer ${owner}` } }))

const asMember = (call: Call) =>
  Effect.map(
    People,
    ({ member }): Call => ({ ...call, headers: { ...call.headers, authorization: `Bearer ${member}` } })
  )

const asPlatform = (call: Call) =>
  Effect.map(
    signed(typeof call.body === "string" ? call.body : ""),
    (signature): Call => ({ ...call, headers: { ...call.headers, ...signature } })
  )

const ada = { user_id: "UADA", channel_id: "CGENERAL" }

const formOf = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString()

const interaction = (payload: unknown) => formOf({ payload: JSON.stringify(payload) })

/** Bodies that are taken, and such that are not, whoever signs them. */
const forms: Readonly<
  Record<string, { readonly valid: ReadonlyArray<string>; readonly invalid: ReadonlyArray<string> }>
> = {
  "POST /team-chat/command": {
    valid: [formOf({ ...ada, text: "help" }), formOf({ ...ada, text: "tasks" }), formOf({ ...ada, text: "\0" })],
    invalid: ["", "%", "{}", "user_id=UADA", formOf({ ...ada, user_id: "" })]
  },
  "POST /team-chat/interactive": {
    valid: [
      interaction({
        type: "block_actions",
        user: { id: "UADA" },
        actions: [{ action_id: "stop_reminders", value: "x" }]
      }),
      interaction({
        type: "block_actions",
        user: { id: "UADA" },
        actions: [{ action_id: "answer_choice:0", value: "{" }]
      })
    ],
    invalid: ["", "payload=", "payload=%7B", "payload=null", "payload=[]", formOf({ payload: "[".repeat(100_000) })]
  }
}

const eventTypes = ["message", "app_mention", "channel_rename", "member_joined_channel", "user_change"]

const anyEvent = FastCheck.record(
  {
    type: FastCheck.constantFrom(...eventTypes),
    user: FastCheck.jsonValue(),
    channel: FastCheck.jsonValue(),
    text: FastCheck.jsonValue(),
    ts: FastCheck.jsonValue()
  },
  { requiredKeys: ["type"] }
)

const form = { "content-type": "application/x-www-form-urlencoded" }

layer(Layer.merge(service, NodeHttpClient.layerUndici), { excludeTestServices: true })(
  "Over the OpenAPI document, in hosted mode",
  (it) => {
    const member = Effect.gen(function*() {
      const invite = { method: "POST", path: "/team/invite", ...jsonBody({ email: "bob@example.org" }) } as const
      const { text } = yield* send(yield* asOwner(invite))
      const { id } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ id: Schema.String })))(text)
      return { member_id: id }
    })

    for (const operation of operationsIn("/team/")) {
      it.effect(`${operation.name} takes what is valid and refuses the rest`, () =>
        Effect.gen(function*() {
          yield* walked(operation, yield* member, { sent: asOwner })
        }))
    }

    for (const operation of operations.filter(({ path }) => !/^\/(?:auth|team-chat)\//.test(path))) {
      it.effect(`${operation.name} answers a member, with own things, without an error of the service`, () =>
        Effect.gen(function*() {
          const { query } = yield* Service
          yield* send(yield* asMember({ method: "GET", path: "/team/info" }))
          const [user] = yield* query<{ user_id: string }>(
            "select user_id from team_members where email = 'member@example.org'"
          )
          const known = yield* given(operation, user?.user_id ?? "", asMember)
          const { check, wrong } = makeChecks()
          for (const call of yield* Effect.forEach(validOf(operation, known).slice(0, 3), asMember)) {
            yield* check(call, ({ status }) => status < 500)
          }
          assert.deepStrictEqual(wrong, [])
        }))
    }

    for (const operation of operations.filter(({ name }) => name in forms)) {
      it.effect(`${operation.name} answers whatever is signed`, () =>
        Effect.gen(function*() {
          const { check, wrong } = makeChecks()
          const { invalid, valid } = forms[operation.name] ?? { invalid: [], valid: [] }
          const call = { method: operation.method, path: operation.path, headers: form }
          for (const body of valid) yield* check(yield* asPlatform({ ...call, body }), isTaken(operation))
          for (const body of invalid) yield* check(yield* asPlatform({ ...call, body }), isRefused(call, 400))
          const generated = formsOf(operation).map((body) => ({ ...call, body }))
          for (const one of yield* Effect.forEach(generated, asPlatform)) {
            yield* check(one, (answer) => isTaken(operation)(answer) || isRefused(one, 400)(answer))
          }
          assert.deepStrictEqual(wrong, [])
        }))
    }

    it.effect("POST /team-chat/dm_response answers whatever is signed with 200, and says what is no request", () =>
      Effect.gen(function*() {
        const { check, wrong } = makeChecks()
        const [operation] = operationsIn("/team-chat/dm_response")
        assert(operation !== undefined)
        const call = { method: operation.method, path: operation.path }
        const hostile = { user: "\0", channel: "\0", ts: "\0", thread_ts: "\ud800", text: "\0", channel_type: "im" }
        const events = [
          ...FastCheck.sample(anyEvent, 20),
          ...eventTypes.map((type) => ({ ...hostile, type }))
        ].map((event, index): Call => ({
          ...call,
          ...jsonBody({ type: "event_callback", event_id: `\0${index}`, event })
        }))
        const taken = [...events, ...validOf(operation, {}), ...invalidOf(operation, {})]
        for (const one of yield* Effect.forEach(taken, asPlatform)) yield* check(one, isTaken(operation))
        for (const body of ["", "{", "\0", "[]", "null", "{}", jsonBody({ type: 7 }).body]) {
          yield* check(
            yield* asPlatform({ ...call, body }),
            ({ status, text }) => status === 200 && text.includes("invalid_request")
          )
        }
        assert.deepStrictEqual(wrong, [])
      }))
  }
)
