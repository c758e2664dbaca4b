import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { query } from "../support/Database.ts"
import { allEnded, makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { type Arrival, makeMailServer, password } from "../support/MailServer.ts"
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

/**
 * While they wait, the runs of schedules are uncommitted: the kill hits the scheduler in the middle of its work. Those of
 * the odd numbers wait until the gate is open, so that they are not all made before the kill.
 */
const slowDown = `create table gate as select 1 as closed;
create function slow_down() returns trigger language plpgsql as $$ begin
  while new.description ~ '[13579]$' and exists (select from gate) loop perform pg_sleep(0.01); end loop;
  perform pg_sleep(0.1);
  return new;
end $$;
create trigger slow_down after insert on tasks for each row execute function slow_down()`

processTest(
  "After a kill, an approved mail has arrived once, one that was being handed over is a dead letter and not sent again, "
    + "and each due schedule has made one task",
  function*() {
    // It takes the mail, but its answer never comes: what the sender knows when it is killed.
    const unanswered = "ada@example.org"
    const server = yield* makeMailServer({
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      answer: (done, to) => void (to.includes(unanswered) || done())
    })
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
    const outbox = query<{ id: string; recipient: string; state: string; last_error: string }>(
      deployment.url,
      "select id, recipient, state, last_error from outbox where kind = 'mail' order by recipient"
    )
    assert.deepStrictEqual(yield* outbox, [])
    assert.strictEqual(server.count(), 0)
    const respond = (task_id: string, response: string) =>
      Effect.flatMap(
        client.find(task_id),
        ({ last_tool_call_id: tool_call_id }) =>
          client.send("POST", "/human_response", { task_id, response, tool_call_id })
      )
    const refused = ids.at(-1) ?? ""
    yield* respond(refused, "Don't send")

    const mail = JSON.stringify({ to: unanswered, subject: "Once", body: "*Hello*" })
    const once = yield* client.submit("mail", { message: `use send_email ${mail}` })
    const handedOver = yield* Queue.take(server.arrivals)
    assert.deepStrictEqual(handedOver.to, [unanswered])

    yield* query(deployment.url, slowDown)
    const create = (message: string, when: object) =>
      Effect.map(
        client.send("POST", "/api/schedules", { message, ...when }),
        ({ status }) => assert.strictEqual(status, 201, message)
      )
    yield* create("Yearly", { every: "0 0 1 1 *" })
    const scheduled = Array.from({ length: 10 }, (_, index) => `Once ${index}`)
    yield* Effect.forEach(scheduled, (message) => create(message, { at: "in 1 hour" }), { concurrency: 5 })
    yield* query(deployment.url, "update schedules set next_run_at = clock_timestamp()")
    yield* query(deployment.url, "select pg_notify('troupe_schedules', '')")
    const made = query<{ description: string }>(
      deployment.url,
      "select description from tasks where source = 'schedule' order by description"
    )
    yield* until("the first task is made", Effect.map(made, ({ length }) => length > 0))

    const answer = (id: string) => respond(id, "Send")
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
    assert.isBelow((yield* made).length, 11, "the kill hit the scheduler at work")
    yield* query(deployment.url, "delete from gate")
    const interrupted = yield* query<{ recipient: string; handed_over: boolean }>(
      deployment.url,
      "update outbox set due_at = now() where state = 'sending' returning recipient, handed_over"
    )
    assert.deepInclude(interrupted, { recipient: unanswered, handed_over: true })

    yield* process
    yield* Effect.forEach(ids, (id) => Effect.flatMap(isWaiting(id), (waits) => waits ? answer(id) : Effect.void))
    yield* until("the schedules have run", Effect.map(made, ({ length }) => length >= 11))
    const due = query(deployment.url, "select from schedules where next_run_at <= now() or last_task_id is null")
    yield* until("no schedule is due", Effect.map(due, ({ length }) => length === 0))
    yield* allEnded(deployment.url, "60 seconds")
    yield* until(
      "the mails are sent",
      Effect.map(outbox, (rows) => rows.every(({ state }) => state === "sent" || state === "failed"))
    )

    assert.deepStrictEqual((yield* made).map(({ description }) => description), [...scheduled, "Yearly"])
    const states = yield* query<{ status: string }>(deployment.url, "select status from schedules order by status")
    assert.deepStrictEqual(states.map(({ status }) => status), ["active", ...scheduled.map(() => "done")])

    const [uncertain, ...approved] = yield* outbox
    assert.deepStrictEqual(approved.map(({ recipient }) => recipient), recipients.slice(0, -1))
    const arrivals: Iterable<Arrival> = yield* Queue.takeAll(server.arrivals)
    const arrived = yield* Effect.forEach(
      arrivals,
      ({ mail, to }) => Effect.map(mail, ({ attachments }) => `${to} ${attachments.map(({ filename }) => filename)}`)
    )
    assert.deepStrictEqual(new Set(arrived).size, arrived.length, "no mail arrives twice")
    const { outputs } = yield* client.find(refused)
    assert.include(JSON.stringify(outputs), "send_email was not called")
    // The process may have ended while it handed a mail over: then it is not sent again, but reported.
    const certain = approved.filter(({ state }) => state === "sent").map(({ recipient }) =>
      `${recipient} ${recipient}.md`
    )
    for (const mail of certain) assert.include(arrived, mail)

    assert.strictEqual(uncertain?.state, "failed")
    assert.match(uncertain?.last_error ?? "", /may have arrived/)
    assert.strictEqual((yield* handedOver.mail).messageId, `<${uncertain?.id}@example.org>`)
    assert.notInclude(arrived.join(), unanswered)
    assert.include(JSON.stringify((yield* client.find(once)).outputs), `queued as ${uncertain?.id}`)
  }
)
