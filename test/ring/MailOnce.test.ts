import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { query } from "../support/Database.ts"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { start, until } from "../support/Processes.ts"
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
        "update outbox set due_at = now() where state = 'sending' and handed_over returning 1"
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
