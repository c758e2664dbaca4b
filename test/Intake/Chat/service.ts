import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Queue, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import * as Intake from "../../../src/apps/Intake.ts"
import { startService } from "../../Http/service.ts"
import { type Envelope, say, sendEvents } from "../../support/ChatEvents.ts"
import { type FakePlatform, signingSecret } from "../../support/ChatPlatform.ts"
import { eventually } from "../../support/Eventually.ts"

/** The service with its queue and without workers, beside a platform: tasks stay as they are until a test changes them. */
export class Service extends Context.Tag("troupe/test/Intake/Chat/service")<Service, {
  readonly platform: FakePlatform
  readonly url: string
  readonly files: string
  readonly query: <A extends object>(text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>>
}>() {}

const start = (given: Readonly<Record<string, string>>) =>
  Effect.map(
    startService({ CHAT_SIGNING_SECRET: signingSecret, MAX_UPLOAD_MB: "50", ...given }, Intake.layer),
    ({ chat, files, port, query }) => Service.of({ platform: chat, url: `http://127.0.0.1:${port}`, files, query })
  )

export interface TaskRecord {
  readonly id: string
  readonly description: string
  readonly context: string | null
  readonly creator: string
  readonly continued_from: string | null
  readonly project_id: string | null
  readonly attachments: ReadonlyArray<string>
  readonly reply_to: string
  readonly source: string
}

/** All tasks, oldest first. */
export const tasks = Effect.flatMap(
  Service,
  ({ query }) =>
    query<TaskRecord>(
      "select id::text, description, context, creator, continued_from::text, project_id, attachments, reply_to, source from tasks order by id"
    )
)

/** Waits until nothing is left to process, and nothing failed. */
export const processed: Effect.Effect<void, never, Service> = Effect.flatMap(Service, ({ query }) =>
  eventually(
    query<{ state: string; last_error: string | null }>("select state, last_error from inbound_messages"),
    (rows) => rows.every(({ state }) => state === "done" || state === "failed")
  ).pipe(
    Effect.tap((rows) => Effect.sync(() => assert.deepStrictEqual(rows.filter(({ state }) => state === "failed"), [])))
  ))

/** Sends events twice each, in any order, and waits until they are processed. */
export const send = (events: ReadonlyArray<Envelope>, seed = 1) =>
  Effect.gen(function*() {
    const { url } = yield* Service
    const replies = yield* sendEvents(`${url}/team-chat/dm_response`, events, { times: 2, seed })
    for (const reply of replies) assert.deepStrictEqual(reply, { status: 200, body: "{\"ok\":true}" })
    yield* processed
  })

/** Somebody writes a message; returns it after the service has processed it. */
export const said = (message: Parameters<typeof say>[1], seed = 1) =>
  Effect.gen(function*() {
    const { platform } = yield* Service
    const { events, message: written } = say(platform, message)
    yield* send(events, seed)
    return written
  })

/** As if the agent had asked. */
export const asks = (id: string, question = "Red or blue?") =>
  Effect.flatMap(Service, ({ query }) =>
    query(
      "update actors set status = 'waiting_input', question = $2, last_tool_call_id = 'call_1', wake_at = null where task_id = $1",
      [id, question]
    ))

export const ends = (id: string, status: "completed" | "failed" = "completed") =>
  Effect.flatMap(
    Service,
    ({ query }) =>
      query("update actors set status = $2, wake_at = null, completed_at = now() where task_id = $1", [id, status])
  )

export const statusOf = (id: string) =>
  Effect.flatMap(
    Service,
    ({ query }) =>
      Effect.map(
        query<{ status: string }>("select status from actors where task_id = $1", [id]),
        ([row]) => row?.status
      )
  )

/** What waits to be posted: where, and what. */
export const posts = Effect.flatMap(
  Service,
  ({ query }) =>
    query<{ recipient: string; payload: string }>(
      "select recipient, payload from outbox where channel = 'chat' and payload is not null order by id"
    )
)

const empty: Effect.Effect<void, never, Service> = Effect.flatMap(
  Service,
  ({ platform, query }) =>
    Effect.sync(() => {
      platform.state.channels.clear()
      platform.state.user("ADA", { name: "ada", real_name: "Ada Lovelace" })
      platform.state.user("BOB", { name: "bob", real_name: "Bob" })
      platform.state.channel("GENERAL", { members: ["UTROUPE", "UADA", "UBOB"] })
      platform.state.directMessage("UADA")
      platform.state.directMessage("UBOB")
    }).pipe(
      Effect.zipRight(Queue.takeAll(platform.responses)),
      Effect.zipRight(query(
        `truncate tasks, approvals, task_threads, actors, steps, inbox, inbound_messages, chat_claims, outbox, schedules, channels,
      channel_members, channel_messages`
      ))
    )
)

type Body = () => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope | Service>>, unknown, never>

/** Tests over one service, which they share; each begins with nothing but the people and a channel. */
export const inChat = (
  name: string,
  tests: (test: (name: string, body: Body) => void) => void,
  settings: Readonly<Record<string, string>> = {}
): void =>
  layer(Layer.orDie(Layer.scoped(Service, start(settings))), { excludeTestServices: true })(
    name,
    (it) => tests((name, body) => it.scoped(name, () => Effect.zipRight(empty, Effect.gen(body))))
  )
