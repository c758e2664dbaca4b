import type { TaskId } from "@troupe/domain/Ids"
import { Effect, Layer, Option } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Snapshots } from "../../src/File/Snapshots.ts"
import { Senders } from "../../src/People/Team/Senders.ts"
import { MailRecipientsLayer } from "../../src/Task/Read/MailRecipientsLayer.ts"
import { type TaskRequest, Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { MailRecipients } from "../../src/Tool/MailRecipients.ts"
import { askHuman, dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { sendEmail } from "../../src/Tool/SendEmail.ts"
import { eventually } from "../support/Eventually.ts"
import { textTool } from "../support/FakeTool.ts"
import { request } from "../support/GivenTasks.ts"
import { asks, call, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

/** A mail of the agent to this address. */
export const mailTo = (to: string, more: object = {}): Turn =>
  asks(call(`mail to ${to}`, "send_email", { to, subject: "Hi", body: "Hello", ...more }))

export const asksFirst = (question: string): Turn => asks(call("q", "ask_human", { question }))

/** What the agent reads. */
export const reads = (text: string): Turn => asks(call("r", "read", { text }))

/** The tools with the real rules of mail, for people and tasks of a self-hosted service. */
export const mailTools = Effect.gen(function*() {
  const recipients = yield* Effect.provide(
    MailRecipients,
    MailRecipientsLayer({ domains: ["partner.example"] }).pipe(Layer.provide(Senders.layer))
  )
  const sender = Option.some({ name: "", address: "troupe@example.org" })
  return [
    sendEmail(yield* Sandbox, yield* Snapshots, { sender }, recipients),
    askHuman,
    dispatchSubagent,
    textTool("read", (text) => Effect.succeed(text))
  ]
})

/** A worker, and what its tasks come to. */
export const makeOffice = Effect.gen(function*() {
  const tasks = yield* Tasks
  const { query } = yield* Wire
  const scripted = scriptedModel()
  yield* startWorker({ scripted, tools: yield* mailTools })
  const settled = (id: TaskId) =>
    eventually(tasks.find(id), ({ status }) => status === "waiting_input" || status === "completed")
  const sentBy = (id: TaskId) =>
    Effect.map(
      query<{ recipient: string }>("select recipient from outbox where task_id = $1 and kind = 'mail' order by id", [
        id
      ]),
      (rows) => rows.map(({ recipient }) => recipient)
    )
  return {
    tasks,
    query,
    scripted,
    settled,
    sentBy,
    /** Runs a task with these turns until it waits or is completed. */
    works: (message: string, turns: ReadonlyArray<Turn>, more: Partial<TaskRequest> = {}) =>
      Effect.gen(function*() {
        scripted.script(...turns)
        const { id } = yield* tasks.submit(request(message, more))
        return yield* settled(id)
      }),
    resultsOf: (id: TaskId) =>
      Effect.map(
        tasks.messages(id),
        (messages) => messages.filter(({ role }) => role === "tool").map(({ content }) => content)
      ),
    /** Whether the task asks for approval, and of what. */
    asksFor: (id: TaskId) =>
      Effect.map(
        query<{ choices: ReadonlyArray<string> | null; asks_approval: boolean }>(
          "select choices, asks_approval from actors where task_id = $1",
          [id]
        ),
        ([row]) => row
      )
  }
})
