import { assert, describe, it } from "@effect/vitest"
import type { Task, TaskStep } from "@troupe/client"
import { continuationOf, moreOf } from "../../packages/console/src/screens/task/thread/GoOn.ts"
import { makeThread, placeOf } from "../../packages/console/src/screens/task/thread/Thread.ts"
import type { ThreadItem, ThreadSource } from "../../packages/console/src/screens/task/thread/ThreadItem.ts"
import { groupsOf, subjectOf } from "../../packages/console/src/screens/task/thread/WorkText.ts"
import { ada, at, call, makeApproval, makeStep, makeTask, result } from "./StepSamples.ts"

/** The thread of one task, whose steps are given oldest first. */
const threadOf = (
  task: Task,
  steps: ReadonlyArray<TaskStep>,
  given: Partial<ThreadSource> = {}
): ReadonlyArray<ThreadItem> =>
  makeThread({
    parts: [{ task, steps: steps.toReversed() }],
    subtasks: new Map(),
    unfolded: new Map(),
    sent: new Map(),
    ...given
  })

/** What an item says, in a word or two. */
const saidBy = (item: ThreadItem): string => {
  switch (item._tag) {
    case "words":
    case "note":
      return `${item._tag}: ${item.text}`
    case "work":
      return `work: ${groupsOf(item.entries).map(({ text }) => text).join(", ")}`
    case "question":
      return `question: ${item.text} ${item.isOpen ? "open" : item.answer ?? item.decision ?? "unanswered"}`
    case "message":
      return `message: ${item.text} ${item.isRead ? "read" : "sent"}`
    case "subtask":
      return `subtask: ${item.task.id}`
    default:
      return item._tag
  }
}

const says = (items: ReadonlyArray<ThreadItem>) => items.map((item) => `${"  ".repeat(item.depth)}${saidBy(item)}`)

describe("The thread of a task", () => {
  it("folds the calls between the model's words by kind, with arguments, results and what failed", () => {
    const items = threadOf(makeTask({ status: "completed", ended_by: "answer" }), [
      makeStep(1, { kind: "woken" }),
      makeStep(2, { text: "I write first", calls: [call("a", "write_file"), call("b", "write_file")] }),
      makeStep(3, { kind: "results", results: [result("a", "write_file"), result("b", "write_file", "Error: full")] }),
      makeStep(4, { thinking: "Now read", calls: [call("c", "read_document"), call("d", "github__create_issue")] }),
      makeStep(5, { kind: "results", results: [result("d", "github__create_issue"), result("c", "read_document")] }),
      makeStep(6, { text: "The result", status: "completed", ended_by: "answer" })
    ])
    assert.deepStrictEqual(says(items), [
      "request",
      "words: I write first",
      "work: wrote 1 file (1 failed), thought, read 1 document, used create_issue of github",
      "end"
    ])
    const work = items[2]
    assert.strictEqual(work?._tag, "work")
    const entries = work?._tag === "work" ? work.entries : []
    assert.deepInclude(entries[0], { name: "write_file", result: "ok", arguments: "{\"path\":\"a.txt\"}" })
    assert.strictEqual(subjectOf("{\"content\":\"long\",\"path\":\"a.txt\"}"), "a.txt")
  })

  it("says of a call that runs, or waits for a person, that it is not finished", () => {
    const items = threadOf(makeTask({ status: "waiting_input" }), [
      makeStep(1, { calls: [call("a", "write_file"), call("b", "write_file"), call("c", "send_email")] }),
      makeStep(2, { kind: "results", results: [result("a", "write_file")] })
    ])
    assert.deepStrictEqual(says(items), ["request", "work: wrote 1 file (1 not finished), sending a mail not finished"])
  })

  it("has each question with its answer, who decided and by which way, and the one that is open", () => {
    const asks = [
      makeStep(1, { calls: [call("q", "ask_human")] }),
      makeStep(2, { kind: "results", status: "waiting_input", text: "Which colour?" })
    ]
    assert.deepStrictEqual(says(threadOf(makeTask({ status: "waiting_input" }), asks)), [
      "request",
      "question: Which colour? open"
    ])
    const answered = threadOf(makeTask({ status: "running" }), [
      ...asks,
      makeStep(3, { kind: "answered", by: ada, title: "Ada answered in the chat" }),
      makeStep(4, { kind: "results", results: [result("q", "ask_human", "Red")] }),
      makeStep(5, { calls: [call("m", "send_email")] }),
      makeStep(6, { kind: "results", status: "waiting_input", text: "Send it?" }),
      makeStep(7, { kind: "answered", by: ada, title: "Ada did not approve the mail in the chat" }),
      makeStep(8, { kind: "results", results: [result("m", "send_email", "Nothing was sent.")] })
    ])
    assert.deepStrictEqual(says(answered), [
      "request",
      "question: Which colour? Red",
      "work: sent 1 mail",
      "question: Send it? did not approve the mail"
    ])
    assert.deepInclude(answered[1], { by: ada, answeredAt: at })
    // A cancel closes what was asked.
    const cancelled = threadOf(makeTask({ status: "failed", ended_by: "cancelled" }), [
      ...asks,
      makeStep(3, { kind: "cancelled", ended_by: "cancelled", by: ada, text: "Cancelled: not needed" })
    ])
    assert.deepStrictEqual(says(cancelled), ["request", "question: Which colour? unanswered", "end"])
  })

  it("keeps a question open until each of its calls is decided, and shows each call with the question that asked it", () => {
    const steps = [
      makeStep(1, { calls: [call("a", "send_email"), call("b", "send_email")] }),
      makeStep(2, { kind: "results", status: "waiting_input", text: "Both?" }),
      makeStep(3, { kind: "answered", by: ada, title: "Ada approved the call in the chat" })
    ]
    const [first, second] = [makeApproval("a", { status: "approved" }), makeApproval("b")]
    const open = threadOf(makeTask({ status: "waiting_input", approvals: [second, first] }), steps)
    assert.deepInclude(open.at(-1), { isOpen: true, approvals: [first, second] })
    // A file of it has changed since.
    const [done, again] = [makeApproval("b", { status: "approved" }), makeApproval("b", { id: "b2" })]
    const anew = threadOf(makeTask({ status: "waiting_input", approvals: [first, done, again] }), [
      ...steps,
      makeStep(4, { kind: "answered", by: ada, title: "Ada approved the call in the chat" }),
      makeStep(5, { kind: "results", status: "waiting_input", text: "Still?" })
    ])
    assert.deepStrictEqual(anew.flatMap((item) => item._tag === "question" ? [item.approvals] : []), [
      [first, done],
      [again]
    ])
  })

  it("shows whom a rule lists the calls of a colleague's task, whose steps have no texts", () => {
    const approval = makeApproval("a", { who: ["bob"] })
    const thread = threadOf(makeTask({ status: "waiting_input", question: null, approvals: [approval] }), [
      makeStep(1, {}),
      makeStep(2, { kind: "results", status: "waiting_input", text: null })
    ])
    assert.deepInclude(thread.at(-1), { _tag: "question", isOpen: true, approvals: [approval] })
  })

  it("shows a message at once as sent, and as read from the step on that has it", () => {
    const task = makeTask({ status: "running" })
    const sent = new Map([["task", [{ id: "1", text: "Hurry up ", at, after: 1 }]]])
    const woken = makeStep(1, { kind: "woken" })
    assert.deepStrictEqual(says(threadOf(task, [woken], { sent })), ["request", "message: Hurry up  sent"])
    const read = makeStep(2, { kind: "steered", text: "Wait\nHurry up", by: ada })
    assert.deepStrictEqual(says(threadOf(task, [woken, read], { sent })), ["request", "message: Wait\nHurry up read"])
  })

  it("has subtasks as folded threads, and their work where they are unfolded", () => {
    const subtask = makeTask({ id: "sub", task_type: "subtask", status: "completed", ended_by: "answer" })
    const steps = [
      makeStep(1, { calls: [call("s", "dispatch_subagent")] }),
      makeStep(2, { kind: "dispatched", subtasks: [{ call_id: "s", task_id: "sub", agent_type: "general" }] }),
      makeStep(3, { kind: "results", results: [result("s", "dispatch_subagent")] })
    ]
    const subtasks = new Map([["sub", subtask]])
    const task = makeTask({ status: "running" })
    assert.deepStrictEqual(says(threadOf(task, steps, { subtasks })), ["request", "subtask: sub"])
    const work = [
      makeStep(1, { text: "Looking", calls: [call("r", "read_file")] }),
      makeStep(2, { kind: "results", results: [result("r", "read_file")] })
    ]
    const unfolded = new Map([["sub", work.toReversed()]])
    assert.deepStrictEqual(says(threadOf(task, steps, { subtasks, unfolded })), [
      "request",
      "subtask: sub",
      "  request",
      "  words: Looking",
      "  work: read 1 file",
      "  end"
    ])
  })

  it("joins the tasks of a conversation, each with its own end, and loads the work of the others on demand", () => {
    const first = makeTask({ id: "first", status: "completed", ended_by: "answer" })
    const next = makeTask({ id: "next", status: "completed", ended_by: "limit", continued_from: "first" })
    const items = makeThread({
      parts: [
        { task: first, steps: undefined },
        { task: next, steps: [makeStep(41, { kind: "forced", ended_by: "limit", title: "The limit", text: "So far" })] }
      ],
      subtasks: new Map(),
      unfolded: new Map(),
      sent: new Map()
    })
    assert.deepStrictEqual(says(items), ["request", "folded", "end", "request", "older", "note: The limit", "end"])
    assert.strictEqual(placeOf(items, "next", 41), 5)
    assert.strictEqual(placeOf(items, "first", 41), -1)
  })

  it("names the continuations of a task that are in other threads after that task", () => {
    const first = makeTask({ id: "first", status: "completed", ended_by: "answer" })
    const items = makeThread({
      parts: [{ task: first, steps: undefined }, { task: makeTask({ id: "newest", status: "running" }), steps: [] }],
      subtasks: new Map(),
      unfolded: new Map(),
      sent: new Map(),
      others: new Map([["first", [makeTask({ id: "older" })]]])
    })
    assert.deepStrictEqual(says(items), ["request", "folded", "end", "branches", "request"])
  })

  it("keeps a failure that was retried as a part of the work", () => {
    const items = threadOf(makeTask({ status: "completed", ended_by: "answer" }), [
      makeStep(1, { kind: "failed", ended_by: "failure", text: "No key" }),
      makeStep(2, { kind: "retried", title: "Retry requested" }),
      makeStep(3, { text: "Done", ended_by: "answer" })
    ])
    assert.deepStrictEqual(says(items), ["request", "note: Failed: No key", "note: Retry requested", "end"])
  })

  it("goes on where a limit or the budget stopped it, with more model calls or tokens", () => {
    const told = { message: "", attachments: [], isWhole: false, more: 40 }
    const stopped = makeTask({
      status: "completed",
      ended_by: "limit",
      end_label: "Stopped at its limit of 10 model calls"
    })
    assert.deepStrictEqual(moreOf(stopped), { unit: "model calls", proposed: 20 })
    assert.deepStrictEqual(continuationOf(stopped, told), {
      message: "Go on.",
      title: stopped.title,
      attachments: [],
      continue_task_id: "task",
      continue_from: "conversation",
      live: true,
      max_iterations: 40
    })
    // No more model calls are proposed than the service allows.
    assert.strictEqual(moreOf({ ...stopped, end_label: "Stopped at its limit of 150 model calls" })?.proposed, 200)
    assert.strictEqual(moreOf({ ...stopped, end_label: "Stopped at its limit of 150 model calls" }, 500)?.proposed, 300)
    const spent = makeTask({ status: "completed", ended_by: "budget", token_budget: 5000 })
    assert.deepStrictEqual(moreOf(spent), { unit: "tokens", proposed: 10_000 })
    assert.deepInclude(continuationOf(spent, { ...told, more: 9_000 }), { max_tokens_total: 9_000 })
    // What an agent may cost is set with the agent.
    assert.isNull(moreOf(makeTask({ status: "completed", ended_by: "budget", max_cost: 1 })))
    const done = makeTask({ status: "completed", ended_by: "answer" })
    assert.deepInclude(continuationOf(done, { ...told, message: "And now?", more: null }), { continue_from: "outcome" })
    assert.deepInclude(continuationOf(done, { ...told, isWhole: true, more: null }), { continue_from: "conversation" })
  })
})
