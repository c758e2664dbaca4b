import { assert, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { makeMailServer, password } from "../support/MailServer.ts"
import { start, until } from "../support/Processes.ts"
import { makeRing, makeSeat } from "../support/Ring.ts"
import { taskClient } from "../support/TaskClient.ts"

it.scopedLive(
  "A mail whose answer the service did not live to see is not sent again, and the agent is told so",
  () =>
    Effect.gen(function*() {
      // It takes the mail, but its answer never comes: what the sender knows when it is killed.
      const server = yield* makeMailServer({ answer: () => {}, hideSTARTTLS: true, allowInsecureAuth: true })
      const ring = yield* makeRing()
      const seat = yield* makeSeat
      const process = start("all", {
        ...ring.environment,
        ...seat.environment,
        SMTP_HOST: "127.0.0.1",
        SMTP_PORT: server.port,
        SMTP_SECURE: "false",
        SMTP_USER: "troupe",
        SMTP_PASSWORD: password,
        SMTP_FROM: "Troupe <troupe@example.org>"
      })
      const client = taskClient(seat.port)
      const first = yield* process
      const mail = JSON.stringify({ to: "ada@example.org", subject: "Once", body: "*Hello*" })
      const id = yield* client.submit("mail", { message: `use send_email ${mail}` })
      const arrived = yield* Queue.take(server.arrivals)
      assert.include((yield* arrived.mail).messageId ?? "", id)
      yield* first.signal("SIGKILL")
      yield* first.ended
      yield* process
      yield* until("the task ends", Effect.map(client.find(id), ({ status }) => status === "completed"))
      assert.strictEqual(server.count(), 1)
      const { outputs } = yield* client.find(id)
      assert.match(JSON.stringify(outputs), /send_email: error: Error: uncertain\./)
    }),
  90_000
)
