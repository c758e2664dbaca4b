import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { query } from "../support/Database.ts"
import { allEnded, makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { freePort, start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const smtp = (port: number) => ({
  SMTP_HOST: "127.0.0.1",
  SMTP_PORT: port,
  SMTP_SECURE: "false",
  SMTP_USER: "troupe",
  SMTP_PASSWORD: password,
  SMTP_FROM: "Troupe <troupe@example.org>"
})

const plain = { hideSTARTTLS: true, allowInsecureAuth: true }

processTest(
  "A mail whose answer the service did not live to see is not sent again, and waits as a dead letter",
  function*() {
    // It takes the mail, but its answer never comes: what the sender knows when it is killed.
    const server = yield* makeMailServer({ ...plain, answer: () => {} })
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const process = start("all", { ...deployment.environment, ...ports.environment, ...smtp(server.port) })
    const client = taskClient(ports.http)
    const first = yield* process
    const mail = JSON.stringify({ to: "ada@example.org", subject: "Once", body: "*Hello*" })
    const id = yield* client.submit("mail", { message: `use send_email ${mail}` })
    const arrived = yield* Queue.take(server.arrivals)
    yield* first.signal("SIGKILL")
    yield* first.ended
    const outbox = Effect.map(
      query(
        deployment.url,
        "update outbox set lease_until = now() where state = 'sending' and handed_over returning 1"
      ),
      ({ length }) => length
    )
    assert.strictEqual(yield* outbox, 1)
    yield* process
    yield* until("the task ends", Effect.map(client.find(id), ({ status }) => status === "completed"))
    const failed = query<{ id: string; last_error: string }>(
      deployment.url,
      "select * from outbox where state = 'failed'"
    )
    yield* until("the mail is given up", Effect.map(failed, ({ length }) => length === 1))
    const [row] = yield* failed
    assert.match(row?.last_error ?? "", /may have arrived/)
    assert.strictEqual((yield* arrived.mail).messageId, `<${row?.id}@example.org>`)
    assert.strictEqual(server.count(), 1)
    const { outputs } = yield* client.find(id)
    assert.include(JSON.stringify(outputs), `queued as ${row?.id}`)
  }
)

processTest(
  "Mails of tasks that complete while the server is off, in a process that is killed and in the next, arrive once each",
  function*() {
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const port = yield* freePort
    const process = start("all", { ...deployment.environment, ...ports.environment, ...smtp(port) })
    const first = yield* process
    const recipients = Array.from({ length: 8 }, (_, index) => `user${index}@example.org`)
    const client = taskClient(ports.http)
    const ids = yield* Effect.forEach(recipients, (to, index) => {
      const pause = index < 4 ? "" : "use ask_human {\"question\": \"Send it?\"}\n\n"
      const mail = JSON.stringify({ to, subject: "Once", body: "*Hello*" })
      return client.submit(to, { message: `${pause}use send_email ${mail}` })
    }, { concurrency: "unbounded" })
    const paused = ids.slice(4)
    yield* Effect.forEach(
      paused,
      (id) => until("the task asks", Effect.map(client.find(id), ({ status }) => status === "waiting_input"))
    )
    const outbox = query<{ id: string; recipient: string; state: string; attempts: number }>(
      deployment.url,
      "select id, recipient, state, attempts from outbox order by recipient"
    )
    yield* until(
      "attempts have failed",
      Effect.map(
        outbox,
        (rows) => rows.filter(({ attempts, state }) => attempts > 0 && state === "pending").length >= 2
      )
    )
    yield* first.signal("SIGKILL")
    yield* first.ended
    assert.strictEqual((yield* outbox).length, 4, "the others have not sent their mail yet")
    yield* query(deployment.url, "update outbox set lease_until = now() where state = 'sending'")
    yield* process
    yield* Effect.forEach(paused, (id) => client.send("POST", "/human_response", { task_id: id, response: "Yes" }))
    yield* allEnded(deployment.url, "60 seconds")
    yield* until(
      "each was tried",
      Effect.map(outbox, (rows) => rows.every(({ attempts }) => attempts > 0))
    )
    const waiting = yield* outbox
    assert.deepStrictEqual(waiting.map(({ recipient }) => recipient), recipients)
    assert.isTrue(waiting.every(({ state }) => state !== "sent" && state !== "failed"))

    const server = yield* makeMailServer({ ...plain, port })
    // The delays between attempts are longer than a test may take.
    const due = query(deployment.url, "update outbox set next_attempt_at = now() where state = 'pending' returning 1")
    const allSent = Effect.zipRight(due, Effect.map(outbox, (rows) => rows.every(({ state }) => state === "sent")))
    yield* until("the mails are sent", allSent)
    assert.strictEqual(server.count(), recipients.length)
    const arrivals = yield* Queue.takeN(server.arrivals, recipients.length)
    const mails = yield* Effect.forEach(
      arrivals,
      ({ mail, to }) => Effect.map(mail, ({ messageId }) => `${to} ${messageId}`)
    )
    assert.deepStrictEqual(
      mails.toSorted(),
      (yield* outbox).map(({ id, recipient }) => `${recipient} <${id}@example.org>`)
    )
  }
)
