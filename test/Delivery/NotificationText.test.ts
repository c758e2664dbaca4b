import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { mailTextOf, notificationMailOf, notificationPostsOf } from "../../src/Delivery/NotificationText.ts"
import type { OutboxNotification } from "../../src/Delivery/OutboxChannel.ts"
import { taskDetails, taskLine } from "../../src/Intake/Chat/ChatTexts.ts"
import { sampleTask } from "../support/Samples.ts"

const completion = (endedBy: "answer" | "limit" | "budget"): OutboxNotification => ({
  kind: "completion",
  title: "Report",
  body: "So far.",
  endedBy,
  filesOf: UserId.make("alice")
})

const options = { publicUrl: new URL("https://troupe.example"), readsAnswers: false }
const post = { taskId: null, mention: null, link: "https://troupe.example/task/1", notShared: [] }

describe("A result that was cut short", () => {
  it.each(
    [
      ["answer", "Done: Report", "done"],
      ["limit", "Stopped at its limit: Report", "stopped at its limit"],
      ["budget", "Stopped at its token budget: Report", "stopped at its token budget"]
    ] as const
  )("by %s is named in the mail's subject, the post and the chat's lists", (endedBy, heading, state) => {
    assert.strictEqual(notificationMailOf(completion(endedBy), null, null, [], options).subject, heading)
    assert.include(notificationPostsOf(completion(endedBy), post)[0]?.text, `*${heading}*`)
    const task = { ...sampleTask(), title: "Report", status: "completed" as const, ended_by: endedBy }
    assert.match(taskLine(task), new RegExp(`\\*Report\\* ${state}$`))
    assert.match(taskDetails(task), new RegExp(`\\*Report\\* ${state}$`, "m"))
  })

  it("is another thing than a cancelled task in the chat's lists", () => {
    const task = { ...sampleTask(), status: "failed" as const, ended_by: "cancelled" as const }
    assert.match(taskLine(task), /cancelled$/)
  })
})

describe("the HTML of a mail", () => {
  it("breaks no line within a paragraph that its author only wrapped, and keeps hard breaks", () => {
    assert.strictEqual(
      mailTextOf("wrapped\nby its author\n\none  \ntwo\\\nthree").html,
      "<p>wrapped\nby its author</p>\n<p>one<br>\ntwo<br>\nthree</p>\n"
    )
  })
})
