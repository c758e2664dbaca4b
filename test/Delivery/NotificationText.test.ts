import { assert, describe, it } from "@effect/vitest"
import { TaskId, UserId } from "@troupe/domain/Ids"
import type { NotificationKind } from "@troupe/domain/Notification"
import { postsOf } from "../../src/Chat/Slack/SlackPosts.ts"
import { mailTextOf, notificationMailOf, notificationMessageOf } from "../../src/Delivery/NotificationText.ts"
import type { OutboxNotification } from "../../src/Delivery/OutboxChannel.ts"
import { type Said, taskDetails, taskLine } from "../../src/Intake/Chat/ChatTexts.ts"
import { sampleTask } from "../support/Samples.ts"

const completion = (endedBy: "answer" | "limit" | "budget"): OutboxNotification => ({
  kind: "completion",
  title: "Report",
  body: "So far.",
  endedBy,
  filesOf: UserId.make("alice")
})

const said = (text: Said) => postsOf({ text })[0]?.text ?? ""

const options = { console: null, readsAnswers: false }
const post = { taskId: null, mention: null, isNamed: true, link: null, notShared: [] }

describe("A result that was cut short", () => {
  it.each(
    [
      ["answer", "Done: Report", "done"],
      ["limit", "Stopped at its limit: Report", "stopped at its limit"],
      ["budget", "Stopped at its token budget: Report", "stopped at its token budget"]
    ] as const
  )("by %s is named in the mail's subject, the post and the chat's lists", (endedBy, heading, state) => {
    assert.strictEqual(notificationMailOf(completion(endedBy), null, null, [], options).subject, heading)
    assert.include(postsOf(notificationMessageOf(completion(endedBy), post))[0]?.text, `*${heading}*`)
    const task = { ...sampleTask(), title: "Report", status: "completed" as const, ended_by: endedBy }
    assert.match(said(taskLine(task)), new RegExp(`\\*Report\\* ${state}$`))
    assert.match(said(taskDetails(task)), new RegExp(`\\*Report\\* ${state}$`, "m"))
  })

  it("is another thing than a cancelled task in the chat's lists", () => {
    const task = { ...sampleTask(), status: "failed" as const, ended_by: "cancelled" as const }
    assert.match(said(taskLine(task)), /cancelled$/)
  })
})

describe("the HTML of a mail", () => {
  it("breaks no line within a paragraph that its author only wrapped, and keeps hard breaks", () => {
    assert.strictEqual(
      mailTextOf("wrapped\nby its author\n\none  \ntwo\\\nthree").html,
      "<p>wrapped\nby its author</p>\n<p>one<br>\ntwo<br>\nthree</p>\n"
    )
  })

  it.each([["reminder", "<br>"], ["failure", "<br>"], ["completion", ""], ["question", ""]] as const)(
    "breaks the lines of a %s as they are typed, unless an agent wrote it",
    (kind: NotificationKind, end) => {
      const notification = { kind, body: "one\ntwo", title: "Lines", filesOf: UserId.make("alice") }
      assert.strictEqual(notificationMailOf(notification, null, null, [], options).html, `<p>one${end}\ntwo</p>\n`)
    }
  )
})

const id = TaskId.make("0199f0c2-0000-7000-8000-000000000001")
const console = new URL("https://example.org/troupe/console/")
const address = `https://example.org/troupe/console/tasks/${id}`

const footerOf = (kind: NotificationKind, taskId: TaskId | null, where: URL | null, readsAnswers: boolean) => {
  const notification = { kind, title: "Title", body: "Body", filesOf: UserId.make("alice") }
  const { html, text } = notificationMailOf(notification, taskId, null, [], { console: where, readsAnswers })
  if (where !== null) assert.include(html, `<a href="${taskId === null ? where.href : address}">`)
  return text.split("-- \n")[1]?.trim().split("\n") ?? []
}

describe("The end of a mail", () => {
  it("links to the task in the console, whatever happened to it", () => {
    for (const kind of ["completion", "failure", "reminder"] as const) {
      assert.deepStrictEqual(footerOf(kind, id, console, false), [`The task: ${address}`])
      assert.deepStrictEqual(footerOf(kind, id, console, true), [
        "Reply to this mail to continue the task.",
        `The task: ${address}`
      ])
    }
    assert.deepStrictEqual(footerOf("question", id, console, false), [`Answer at ${address}`])
    assert.deepStrictEqual(footerOf("question", id, console, true), [
      "Reply to this mail to answer. The task waits for it.",
      `The task: ${address}`
    ])
  })

  it("links to the console where there is no task", () => {
    assert.deepStrictEqual(footerOf("reminder", null, console, true), [`See it in Troupe: ${console.href}`])
  })

  it("has no link where no address of the console is known", () => {
    assert.deepStrictEqual(footerOf("completion", id, null, true), ["Reply to this mail to continue the task."])
    assert.deepStrictEqual(footerOf("completion", id, null, false), [])
    assert.deepStrictEqual(footerOf("question", id, null, false), ["Answer it in Troupe. The task waits for it."])
    assert.deepStrictEqual(footerOf("reminder", null, null, true), [])
  })
})
