import { assert } from "@effect/vitest"
import { Effect, type Redacted, Schedule } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { query } from "../support/Database.ts"
import { until } from "../support/Processes.ts"
import type { TaskClient } from "../support/TaskClient.ts"

/** Where a script runs, and what it has caused outside. */
export interface Stage {
  readonly client: TaskClient
  readonly url: Redacted.Redacted
  readonly storage: string
  /** How often the tool server was called with each key. */
  readonly notes: ReadonlyMap<string, number>
  /** How many mails each recipient has got. */
  readonly mails: ReadonlyMap<string, number>
}

/** What a script has to cause, each exactly once. */
interface Effects {
  readonly tasks: number
  readonly notes?: ReadonlyArray<string>
  readonly files?: ReadonlyArray<string>
  readonly answers?: ReadonlyArray<string>
  readonly mails?: ReadonlyArray<string>
}

interface Script {
  /** Does its part as a person would: what got no answer is tried again. */
  readonly play: (stage: Stage, key: string) => Effect.Effect<unknown, unknown>
  readonly effects: (key: string) => Effects
}

const use = (tool: string, args: object) => `use ${tool} ${JSON.stringify(args)}`
const note = (key: string) => use("notes__add", { key })
const turns = (...lines: ReadonlyArray<string>) => lines.join("\n\n")
const addressOf = (key: string) => `${key}@example.net`

/** Until there is an answer, whatever it says: the process may have committed before it was killed. */
const steady = (stage: Stage, ...[method, path, body]: Parameters<TaskClient["send"]>) =>
  stage.client.send(method, path, body).pipe(
    Effect.filterOrFail(({ status }) => status < 500),
    Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo("60 seconds")))
  )

/** Answers as soon as the task asks. */
const respond = (stage: Stage, id: string, response: string) =>
  Effect.gen(function*() {
    yield* until(
      "the task asks",
      Effect.map(stage.client.find(id), ({ status }) => status === "waiting_input"),
      "60 seconds"
    )
    const { last_tool_call_id: tool_call_id } = yield* stage.client.find(id)
    yield* steady(stage, "POST", "/human_response", { task_id: id, response, tool_call_id })
  })

export const scripts: Readonly<Record<string, Script>> = {
  chat: {
    play: (stage, key) =>
      stage.client.submit(key, {
        message: turns(
          use("write_file", { path: `${key}.txt`, content: "once\n", append: true }),
          note(key),
          use("read_file", { path: `${key}.txt` })
        )
      }),
    effects: (key) => ({ tasks: 1, notes: [key], files: [`${key}.txt`] })
  },
  question: {
    play: (stage, key) =>
      stage.client.submit(key, { message: turns(use("ask_human", { question: `${key}?` }), note(key)) }).pipe(
        Effect.flatMap((id) => respond(stage, id, `Blue ${key}`))
      ),
    effects: (key) => ({ tasks: 1, notes: [key], answers: [`Blue ${key}`] })
  },
  subagents: {
    play: (stage, key) =>
      stage.client.submit(key, {
        message: ["a", "b", "c"].map((part) => use("dispatch_subagent", { task_description: note(`${key}${part}`) }))
          .join("\n")
      }),
    effects: (key) => ({ tasks: 4, notes: [`${key}a`, `${key}b`, `${key}c`] })
  },
  mail: {
    // The request does not contain the address as a person would write it, so that sending asks.
    play: (stage, key) =>
      stage.client.submit(key, {
        message: use("send_email", { to: addressOf(key), subject: key, body: "Hello" }).replaceAll("@", "\\u0040")
      }).pipe(Effect.flatMap((id) => respond(stage, id, "Send"))),
    effects: (key) => ({ tasks: 1, mails: [addressOf(key)] })
  },
  schedule: {
    play: (stage, key) =>
      Effect.gen(function*() {
        const made = query<{ id: string }>(stage.url, "select id from schedules where message like $1", [`%${key}%`])
        yield* Effect.gen(function*() {
          if ((yield* made).length > 0) return
          const { status } = yield* stage.client.send("POST", "/api/schedules", { message: note(key), at: "in 1 hour" })
          assert.strictEqual(status, 201)
        }).pipe(Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo("60 seconds"))))
        yield* query(stage.url, "update schedules set next_run_at = clock_timestamp() where message like $1", [
          `%${key}%`
        ])
        yield* query(stage.url, "select pg_notify('troupe_schedules', '')")
      }),
    effects: (key) => ({ tasks: 1, notes: [key] })
  }
}

const tasksOf = (stage: Stage, key: string) =>
  query<{ id: string; status: string }>(
    stage.url,
    "select id, status from tasks join actors on task_id = id where description like $1 order by id",
    [`%${key}%`]
  )

/** Waits until all tasks of the script are finished, and the mails handed over. */
export const ended = (stage: Stage, key: string, { tasks }: Effects) =>
  Effect.gen(function*() {
    yield* until(
      `the tasks of ${key} are finished`,
      Effect.map(tasksOf(stage, key), (found) =>
        found.length >= tasks && found.every(({ status }) => status === "completed" || status === "failed")),
      "120 seconds"
    )
    yield* until(
      `the mails of ${key} are sent`,
      Effect.map(
        query(stage.url, "select from outbox where recipient = $1 and state not in ('sent', 'failed')", [
          addressOf(key)
        ]),
        ({ length }) =>
          length === 0
      ),
      "120 seconds"
    )
  })

interface Message {
  readonly role: string
  readonly content: string
}

/** Asserts that nothing is lost and nothing doubled; how often a task says that it can't know, and its notifications. */
export const found = (stage: Stage, key: string, effects: Effects) =>
  Effect.gen(function*() {
    const tasks = yield* tasksOf(stage, key)
    assert.deepStrictEqual(
      tasks.map(({ status }) => status),
      Array.from({ length: effects.tasks }, () => "completed"),
      key
    )
    const ids = tasks.map(({ id }) => id)
    const results = yield* Effect.forEach(ids, (id) =>
      Effect.map(steady(stage, "GET", `/task/${id}/messages?full=true`), ({ body }) =>
        (body as ReadonlyArray<Message>).flatMap(({ content, role }) =>
          role === "tool" ? [content] : []
        )))
    const uncertain = results.flat().filter((text) => text.startsWith("Error: uncertain")).length

    const files = yield* Effect.forEach(effects.files ?? [], (name) =>
      Effect.promise(() =>
        readFile(join(stage.storage, "default", name), "utf8").then((text) =>
          text.split("once").length - 1, () =>
          0)
      ))
    const done = [
      ...(effects.notes ?? []).map((one) =>
        stage.notes.get(one) ?? 0
      ),
      ...files
    ]
    assert.isBelow(Math.max(0, ...done), 2, `${key}: nothing is done twice`)
    assert.isAtMost(done.filter((times) => times === 0).length, uncertain, `${key}: what was not done is uncertain`)

    for (const answer of effects.answers ?? []) {
      assert.lengthOf(results.flat().filter((text) => text === answer), 1, `${key}: the answer arrived once`)
    }
    const outbox = yield* query<{ recipient: string; state: string; last_error: string | null }>(
      stage.url,
      "select recipient, state, last_error from outbox where task_id = any($1) and kind = 'mail'",
      [ids]
    )
    assert.deepStrictEqual(outbox.map(({ recipient }) => recipient), effects.mails ?? [], key)
    for (const { last_error, recipient, state } of outbox) {
      const arrived = stage.mails.get(recipient) ?? 0
      if (state === "sent") assert.strictEqual(arrived, 1, `${key}: the mail arrived once`)
      else {
        assert.match(last_error ?? "", /may have arrived/)
        assert.isBelow(arrived, 2)
      }
    }
    assert.lengthOf(yield* query(stage.url, "select from inbox where task_id = any($1)", [ids]), 0, key)
    const notifications = yield* query<{ seq: number }>(
      stage.url,
      "select task_id, seq from notifications where task_id = any($1) order by 1, 2",
      [ids]
    )
    return {
      uncertain: uncertain + outbox.filter(({ state }) => state === "failed").length,
      notifications: notifications.length
    }
  })
