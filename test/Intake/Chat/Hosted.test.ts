import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { sendCommand, sendInteraction } from "../../support/ChatEvents.ts"
import { asks, ends, inChat, posts, processed, said, Service, statusOf, tasks } from "./service.ts"

const channel = "CGENERAL"
const mention = { channel, user: "UADA", text: "<@UTROUPE> compare the offers" }

/** Ada and Bob are in the team and have signed in, and Eve is not. */
const team = Effect.gen(function*() {
  const { platform, query } = yield* Service
  platform.state.user("EVE", { name: "eve" })
  platform.state.directMessage("UEVE")
  yield* query("delete from team_members")
  yield* query("truncate users, chat_accounts")
  for (const name of ["ada", "bob"]) {
    yield* query("insert into users (id, name, email, role) values ($1, $1, $1 || '@example.org', 'member')", [name])
    yield* query(
      `insert into team_members (id, email, role, user_id, issuer, subject, joined_at)
       values (gen_random_uuid(), $1 || '@example.org', 'member', $1, 'i', $1, now())`,
      [name]
    )
  }
})

const hosted = {
  DEPLOYMENT_MODE: "hosted",
  OIDC_ISSUER: "https://issuer.example.org",
  OIDC_AUDIENCE: "troupe",
  TEAM_OWNER_EMAIL: "owner@example.org",
  BACKEND_API_URL: "https://troupe.example.org"
}

inChat("The team chat in hosted mode", (test) => {
  test("others get one polite reply, and nothing else", function*() {
    yield* team
    yield* said({ ...mention, user: "UEVE" })
    yield* said({ ...mention, user: "UEVE", text: "<@UTROUPE> please" })
    const [reply, ...more] = yield* posts
    assert.deepStrictEqual(more, [])
    assert.include(reply?.payload, "only for members")
    yield* said({ channel: "DEVE", user: "UEVE", text: "Write a poem" })
    assert.strictEqual((yield* posts).length, 2)
    assert.deepStrictEqual(yield* tasks, [])
  })

  test("only members are reminded, and others told why not", function*() {
    yield* team
    const { query } = yield* Service
    yield* said({ ...mention, user: "UEVE", text: "<@UTROUPE> hello" })
    yield* query("delete from outbox")
    for (const name of ["eve", "bob"]) {
      yield* said({ ...mention, text: `<@UTROUPE> remind ${name} to call in 2 hours` })
    }
    const [refused] = yield* posts
    assert.include(JSON.parse(refused?.payload ?? "").text, "\"eve\" is no person of this team.")
    assert.deepStrictEqual(yield* query("select user_id from schedules"), [{ user_id: "bob" }])
  })

  test("only who may change a task answers its question; every member continues what is done", function*() {
    yield* team
    const { url } = yield* Service
    const { ts } = yield* said(mention)
    const id = (yield* tasks)[0]?.id ?? ""
    yield* asks(id)
    const reply = { channel, thread_ts: ts, text: "Blue" }
    yield* said({ ...reply, user: "UEVE" })
    yield* said({ ...reply, user: "UBOB" })
    yield* said({ ...reply, user: "UBOB", text: "<@UTROUPE> Blue" })
    const value = JSON.stringify({ task_id: id, call: "call_1", answer: "Blue" })
    for (const user of ["UEVE", "UBOB"]) {
      const pressed = yield* sendInteraction(`${url}/team-chat/interactive`, {
        user: { id: user },
        actions: [{ action_id: "answer_choice:0", value }]
      })
      assert.strictEqual(pressed.status, 200)
    }
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    const [refusal, ...more] = yield* posts
    assert.deepStrictEqual(more, [])
    assert.include(refusal?.payload, "waits for the person who gave the task")
    yield* said({ ...reply, user: "UADA" })
    assert.strictEqual(yield* statusOf(id), "running")
    yield* ends(id)
    yield* said({ ...reply, user: "UBOB", text: "And the third?" })
    yield* said({ ...reply, user: "UEVE", text: "And mine?" })
    const [, next, ...made] = yield* tasks
    assert.deepStrictEqual(made, [])
    assert.deepInclude(next, { creator: "bob", continued_from: id })
  })

  test("a continuation says why the earlier task failed only to those who may read that", function*() {
    yield* team
    const { query } = yield* Service
    const { ts } = yield* said(mention)
    const id = (yield* tasks)[0]?.id ?? ""
    yield* ends(id, "failed")
    yield* query("update actors set error = 'The mangrove is closed' where task_id = $1", [id])
    const reply = { channel, thread_ts: ts, text: "And now?" }
    yield* said({ ...reply, user: "UBOB" })
    const [, ofBob] = yield* tasks
    assert.deepInclude(ofBob, { creator: "bob", continued_from: id })
    assert.include(ofBob?.context, "<earlier_outcome>\nnone\n")
    yield* query("delete from task_threads where task_id = $1", [ofBob?.id])
    yield* said({ ...reply, user: "UADA" })
    const [, , ofAda] = yield* tasks
    assert.deepInclude(ofAda, { creator: "ada", continued_from: id })
    assert.include(ofAda?.context, "<earlier_outcome>\nThe mangrove is closed\n")
  })

  test("a direct message is one conversation for an hour, as self-hosted", function*() {
    yield* team
    const direct = { channel: "DADA", user: "UADA" }
    yield* said({ ...direct, text: "Never use the word mangrove" })
    const [made] = yield* tasks
    yield* said({ ...direct, text: "Mind the metre" })
    assert.strictEqual((yield* tasks).length, 1)
    yield* ends(made?.id ?? "")
    yield* said({ ...direct, text: "Shorter please" })
    yield* said({ ...direct, text: "new: A story" })
    const [, next, story] = yield* tasks
    assert.deepInclude(next, { creator: "ada", continued_from: made?.id ?? null })
    assert.include(next?.context, "<earlier_request>\nNever use the word mangrove\n")
    assert.deepInclude(story, { description: "A story", continued_from: null, context: null })
  })

  test("the status of another one's task says neither its question nor its error", function*() {
    yield* team
    const { platform, query, url } = yield* Service
    const status = (user: string, id: string) =>
      Effect.map(
        sendCommand(platform, `${url}/team-chat/command`, { channel, user, text: `status ${id}` }),
        ({ body }) => body
      )
    yield* said(mention)
    const id = (yield* tasks)[0]?.id ?? ""
    yield* asks(id, "Is the mangrove blue?")
    assert.include(yield* status("UADA", id), "mangrove")
    const asked = yield* status("UBOB", id)
    assert.include(asked, "waits for an answer")
    assert.notInclude(asked, "mangrove")
    yield* ends(id, "failed")
    yield* query("update actors set question = null, error = 'The mangrove is closed' where task_id = $1", [id])
    assert.include(yield* status("UADA", id), "mangrove")
    assert.notInclude(yield* status("UBOB", id), "mangrove")
  })

  test("slash commands have the rights of their user", function*() {
    yield* team
    const { platform, url } = yield* Service
    const run = (user: string, text: string) =>
      Effect.map(sendCommand(platform, `${url}/team-chat/command`, { channel, user, text }), ({ body }) => body)
    const told = (user: string, text: string) =>
      run(user, text).pipe(
        Effect.zipRight(processed),
        Effect.zipRight(posts),
        Effect.map((all) => all.at(-1)?.payload)
      )
    assert.include(yield* told("UADA", "Write a poem"), "I started")
    const id = (yield* tasks)[0]?.id ?? ""
    for (const change of [`cancel ${id}`, `answer ${id} Blue`]) {
      assert.include(yield* told("UBOB", change), "Only its creator")
      assert.include(yield* told("UEVE", change), "only for members")
    }
    assert.include(yield* run("UBOB", "tasks"), "no tasks")
    assert.include(yield* run("UADA", "tasks"), "Write a poem")
    assert.include(yield* run("UEVE", "tasks"), "only for members")
    assert.include(yield* told("UADA", `cancel ${id}`), "cancelled")
  })
}, hosted)
