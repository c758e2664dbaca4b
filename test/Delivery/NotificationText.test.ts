import { assert, describe, it } from "@effect/vitest"
import { TaskId, UserId } from "@troupe/domain/Ids"
import type { AskedRow, NotificationKind } from "@troupe/domain/Notification"
import { endLabel, type TaskEnd } from "@troupe/domain/TaskEnd"
import { postsOf } from "../../src/Chat/Slack/SlackPosts.ts"
import {
  approvalButtons,
  mailTextOf,
  notificationMailOf,
  notificationMessageOf
} from "../../src/Delivery/NotificationText.ts"
import type { OutboxNotification } from "../../src/Delivery/OutboxChannel.ts"
import { type Said, taskDetails, taskLine } from "../../src/Intake/Chat/ChatTexts.ts"
import { sampleTask } from "../support/Samples.ts"

const completion = (end: TaskEnd): OutboxNotification => ({
  kind: "completion",
  title: "Report",
  body: "So far.",
  end,
  filesOf: UserId.make("alice")
})

const said = (text: Said) => postsOf({ text })[0]?.text ?? ""

const options = { console: null, readsAnswers: false }
const post = { taskId: null, mention: null, isNamed: true, link: null, notShared: [] }

describe("A result that was cut short", () => {
  it.each(
    [
      ["answer", null, "Done: Report", "done"],
      ["limit", "10", "Stopped at its limit of 10 model calls: Report", "stopped at its limit of 10 model calls"],
      ["limit", "1", "Stopped at its limit of 1 model call: Report", "stopped at its limit of 1 model call"],
      ["limit", null, "Stopped at its limit: Report", "stopped at its limit"],
      ["budget", null, "Stopped at its budget: Report", "stopped at its budget"]
    ] as const
  )("by %s %s is named in the mail's subject, the post and the chat's lists", (by, detail, heading, state) => {
    const end = { by, detail }
    assert.strictEqual(notificationMailOf(completion(end), null, null, [], options).subject, heading)
    assert.include(postsOf(notificationMessageOf(completion(end), post))[0]?.text, `*${heading}*`)
    const ended = { ended_by: by, end_label: endLabel(end) }
    const task = { ...sampleTask(), title: "Report", status: "completed" as const, ...ended }
    assert.match(said(taskLine(task)), new RegExp(`\\*Report\\* ${state}$`))
    assert.match(said(taskDetails(task)), new RegExp(`\\*Report\\* ${state}$`, "m"))
  })

  it("is another thing than a cancelled task in the chat's lists", () => {
    const ended = { ended_by: "cancelled" as const, end_label: "Cancelled by Bob" }
    assert.match(said(taskLine({ ...sampleTask(), status: "failed" as const, ...ended })), /cancelled by Bob$/)
  })

  it("names who cancelled a task, in its mail and in its post", () => {
    const cancelled: OutboxNotification = {
      ...completion({ by: "cancelled", detail: "Bob $&" }),
      kind: "failure",
      body: "Cancelled: too late"
    }
    const mail = notificationMailOf(cancelled, null, null, [], options)
    assert.deepInclude(mail, { subject: "Cancelled by Bob $&: Report", text: "Cancelled by Bob $&: too late" })
    assert.include(postsOf(notificationMessageOf(cancelled, post))[0]?.text, "Cancelled by Bob $&amp;: too late")
  })
})

describe("the HTML of a mail", () => {
  it("breaks no line within a paragraph that its author only wrapped, and keeps hard breaks", () => {
    assert.strictEqual(
      mailTextOf("wrapped\nby its author\n\none  \ntwo\\\nthree").html,
      "<p>wrapped\nby its author</p>\n<p>one<br>\ntwo<br>\nthree</p>\n"
    )
  })

  it.each(["reminder", "failure", "alarm"] as const)(
    "shows the words of a %s as they are",
    (kind: NotificationKind) => {
      const body = "Fix [it](https://evil.example), *see*\n    https://example.org <b>"
      const notification = { kind, body, title: "Words", filesOf: UserId.make("alice") }
      assert.strictEqual(
        notificationMailOf(notification, null, null, [], options).html,
        "<p>Fix [it](<a href=\"https://evil.example\">https://evil.example</a>), *see*<br>\n"
          + "<a href=\"https://example.org\">https://example.org</a> &lt;b&gt;</p>\n"
      )
    }
  )

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

const footerOf = (
  kind: NotificationKind | "message",
  taskId: TaskId | null,
  where: URL | null,
  readsAnswers: boolean
) => {
  const notification = {
    kind: kind === "message" ? "question" : kind,
    title: "Title",
    body: "Body",
    filesOf: UserId.make("alice"),
    ...(kind === "question" ? { asked: { call: "one", choices: [] } } : {})
  } as const
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

  it("asks for no answer to a message that nothing waits for", () => {
    assert.deepStrictEqual(footerOf("message", id, console, false), [`The task: ${address}`])
    assert.deepStrictEqual(footerOf("message", id, null, false), [])
    assert.deepStrictEqual(footerOf("message", id, null, true), ["Reply to this mail to write to the agent."])
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

describe("The buttons of a question", () => {
  const labelsOf = (...open: ReadonlyArray<boolean>) => {
    const calls = open.map((_, at) => `call${at}`)
    return approvalButtons(
      sampleTask().id,
      { call: calls.length === 1 ? "call0" : JSON.stringify(calls), choices: ["Approve", "Deny"] },
      open.map((isOpen, at) => ({ approval: `a${at}`, call: `call${at}`, isOpen }))
    ).map(({ label }) => label)
  }

  it("decide about one call, all open ones or one of them", () => {
    assert.deepStrictEqual(labelsOf(true), ["Approve", "Deny"])
    assert.deepStrictEqual(labelsOf(true, false, true), [
      "Approve all (2)",
      "Deny all (2)",
      "Approve 1",
      "Deny 1",
      "Approve 3",
      "Deny 3"
    ])
    assert.deepStrictEqual(labelsOf(false, true), ["Approve 2", "Deny 2"])
    assert.deepStrictEqual(labelsOf(false, false), [])
  })

  it("are only those for all where there are too many calls", () => {
    assert.deepStrictEqual(labelsOf(...Array.from({ length: 12 }, () => true)), ["Approve all (12)", "Deny all (12)"])
  })
})

describe("The mail of a question about calls", () => {
  const asked = (...rows: ReadonlyArray<Partial<AskedRow>>) =>
    notificationMailOf(
      {
        kind: "question",
        title: "Tidy up",
        body: "May the agent make these calls?",
        filesOf: UserId.make("alice"),
        asked: {
          call: "x",
          choices: ["Approve", "Deny"],
          rows: rows.map((row) => ({ approval: "", call: "x", isDestructive: false, isWhole: true, ...row }))
        }
      },
      sampleTask().id,
      null,
      [],
      { console: new URL("https://troupe.example/console/"), readsAnswers: true }
    ).text

  it("says how to decide by a reply, and links to the task", () => {
    assert.match(asked({}), /first line/)
    assert.include(asked({}, {}), "approve 1 2")
    assert.include(asked({}), `https://troupe.example/console/tasks/${sampleTask().id}`)
  })

  it("says which calls no mail approves", () => {
    const text = asked({}, { isWhole: false }, { isDestructive: true }, { isWhole: false })
    assert.include(text, "Call 2, 4 is not shown whole, so no mail approves it: decide in the console.")
    assert.include(text, "Call 3 destroys something, which no mail approves: decide in the console.")
  })
})
