import { assert } from "@effect/vitest"
import { Context, Layer } from "effect"
import { Outbox } from "../../src/Delivery/Outbox.ts"
import { ConsoleAddress, Reminders } from "../../src/Delivery/Reminders.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { sampleUser } from "../support/Samples.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { unconfiguredChat } from "../support/UnconfiguredChat.ts"

const reminders = Layer.build(
  Reminders.layer.pipe(
    Layer.provide([
      Outbox.layer,
      unconfiguredChat,
      Layer.succeed(ConsoleAddress, new URL("https://troupe.example.org/console/"))
    ])
  )
)

inWorld("A reminder about a task", (test) => {
  test("links to the task in the chat, and belongs to it in the feed and in mails", function*() {
    const { query } = yield* Wire
    const task = yield* givenTask()
    const { send } = Context.get(yield* reminders, Reminders)
    yield* send({
      user: {
        ...sampleUser("alice"),
        chat_user_id: "U1",
        email: "alice@example.org",
        notify_by: ["chat", "email"]
      },
      title: "Answer from ada@example.net",
      body: "Thank [you](https://evil.example).",
      postedTo: null,
      repeatedBy: null,
      taskId: task
    })
    const posts = yield* query<{ payload: string }>("select payload from outbox where channel = 'chat'")
    assert.include(JSON.stringify(posts), `<https://troupe.example.org/console/tasks/${task}|Open the task>`)
    assert.include(JSON.stringify(posts), "Thank [you](https://evil.example).", "words of others make no link")
    assert.deepStrictEqual(yield* query("select task_id::text from outbox where channel = 'email'"), [{
      task_id: task
    }])
    assert.deepStrictEqual(yield* query("select task_id::text from notifications"), [{ task_id: task }])
  })
})
