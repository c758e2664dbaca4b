import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { query } from "../support/Database.ts"
import { allEnded, makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const recipients = Array.from({ length: 8 }, (_, index) => `new${index}@example.net`)

/** The request does not contain the address as a person would write it. */
const requestOf = (to: string): string =>
  [
    `use write_file {"path": "${to}.md", "content": "For ${to.replace("@", " at ")}"}`,
    "",
    `use send_email ${JSON.stringify({ to, subject: "Plan", body: "*Hello*", attachments: [`${to}.md`] })}`
  ].join("\n").replaceAll("@", "\\u0040")

processTest(
  "Mails to somebody new that a person approves arrive once each, also if the process is killed right after the answers",
  function*() {
    const server = yield* makeMailServer({ hideSTARTTLS: true, allowInsecureAuth: true })
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const process = start("all", {
      ...deployment.environment,
      ...ports.environment,
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: server.port,
      SMTP_SECURE: "false",
      SMTP_USER: "troupe",
      SMTP_PASSWORD: password,
      SMTP_FROM: "Troupe <troupe@example.org>"
    })
    const client = taskClient(ports.http)
    const first = yield* process
    const ids = yield* Effect.forEach(recipients, (to) => client.submit(to, { message: requestOf(to) }))
    const isWaiting = (id: string) => Effect.map(client.find(id), ({ status }) => status === "waiting_input")
    yield* Effect.forEach(ids, (id) => until("the task asks", isWaiting(id)))
    const asked = yield* client.find(ids[0] ?? "")
    assert.deepStrictEqual(asked.choices, ["Send", "Don't send"])
    assert.include(asked.question, "new0@example.net")
    const outbox = query<{ recipient: string; state: string }>(
      deployment.url,
      "select recipient, state from outbox where kind = 'mail' order by recipient"
    )
    assert.deepStrictEqual(yield* outbox, [])
    assert.strictEqual(server.count(), 0)

    const refused = ids.at(-1) ?? ""
    yield* client.send("POST", "/human_response", { task_id: refused, response: "Don't send" })
    const answer = (id: string) =>
      Effect.flatMap(
        client.find(id),
        ({ last_tool_call_id: tool_call_id }) =>
          client.send("POST", "/human_response", { task_id: id, response: "Send", tool_call_id })
      )
    // The first answer is committed; the others may be or not.
    const answers = yield* Effect.forEach(ids.slice(0, -1), (id) => Effect.fork(Effect.either(answer(id))), {
      concurrency: "unbounded"
    })
    yield* until(
      "an answer is committed",
      Effect.map(
        query(deployment.url, "select from steps where body like '%\"kind\":\"answered\"%'"),
        (rows) => rows.length > 1
      )
    )
    yield* first.signal("SIGKILL")
    yield* first.ended
    yield* Effect.forEach(answers, (fiber) => fiber.await)
    yield* query(deployment.url, "update outbox set due_at = now() where state = 'sending'")
    yield* process
    yield* Effect.forEach(ids, (id) => Effect.flatMap(isWaiting(id), (waits) => waits ? answer(id) : Effect.void))
    yield* allEnded(deployment.url, "60 seconds")
    yield* until(
      "the mails are sent",
      Effect.map(outbox, (rows) => rows.every(({ state }) => state === "sent" || state === "failed"))
    )
    assert.deepStrictEqual((yield* outbox).map(({ recipient }) => recipient), recipients.slice(0, -1))
    const arrivals = yield* Queue.takeAll(server.arrivals)
    const arrived = yield* Effect.forEach(
      arrivals,
      ({ mail, to }) => Effect.map(mail, ({ attachments }) => `${to} ${attachments.map(({ filename }) => filename)}`)
    )
    assert.deepStrictEqual(new Set(arrived).size, arrived.length, "no mail arrives twice")
    const { outputs } = yield* client.find(refused)
    assert.include(JSON.stringify(outputs), "Nothing was sent. The user answered: Don't send")
    // The process may have ended while it handed a mail over: then it is not sent again, but reported.
    const certain = (yield* outbox).filter(({ state }) => state === "sent").map(({ recipient }) =>
      `${recipient} ${recipient}.md`
    )
    for (const mail of certain) assert.include(arrived, mail)
  }
)
