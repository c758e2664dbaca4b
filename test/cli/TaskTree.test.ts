import { assert, it } from "@effect/vitest"
import { duration, makeTextStyle, size, table } from "@troupe/cli/Format"
import { details, taskTable, treeLines } from "@troupe/cli/TaskTree"
import { stripVTControlCharacters } from "node:util"
import { logOf, plain, taskOf } from "./Samples.ts"

const now = Date.parse("2026-01-02T03:05:06.000Z")
const part = taskOf({
  title: "Part",
  task_type: "subtask",
  agent_type: "research",
  status: "running",
  completed_at: null
})

it("A task's tree shows each subtask below it, with times and tokens", () => {
  const task = taskOf({ status: "waiting_subagents", completed_at: null })
  const facts = `1 min 0 s, 2 model calls, 1 tool call, 1,234 tokens  ${part.id}`
  assert.deepStrictEqual(treeLines(task, [part, part], plain, now), [
    `▶ Write a report  waiting_subagents  ${facts}`,
    `├─ ▶ Part (research)  running  ${facts}`,
    `└─ ▶ Part (research)  running  ${facts}`
  ])
})

it("The details of a task hold its question, its error, its log and its outputs, and no escape sequence", () => {
  const bad = "\u001b]0;owned\u0007"
  const task = taskOf({
    title: bad,
    status: "waiting_input",
    question: `Red${bad}\nor blue?`,
    error: bad,
    plan: bad,
    attachments: [bad],
    logs: [logOf({ message: bad })],
    outputs: [
      { id: "1", type: "text", content: `Done${bad}`, filename: null, size: null, created_at: "" },
      { id: "2", type: "file", content: null, filename: `a${bad}.md`, size: 1_500, created_at: "" }
    ]
  })
  const text = details(task, [], { program: "troupe", logs: true, now, paint: plain })
  assert.notMatch(text, /[^\P{Cc}\n]/u)
  assert.include(text, "Question  Red␛]0;owned␇ or blue?\n")
  assert.include(text, "Done␛]0;owned␇\nFile a␛]0;owned␇.md (1.5 kB)\n")
  assert.include(text, `Answer it: troupe answer ${task.id}\n`)
  assert.notMatch(taskTable([task], plain, now), /[^\P{Cc}\n]/u)
})

it("A task that was completed at a limit has another mark, word and colour than one that is done", () => {
  const paint = makeTextStyle(true)
  const ends = [["limit", "Stopped at its limit of 10 model calls"], ["budget", "Stopped at its budget"]] as const
  for (const [ended_by, end_label] of ends) {
    const task = taskOf({ ended_by, end_label })
    assert.include(taskTable([task], paint, now), `\u001b[33m${end_label}\u001b[39m`)
    assert.match(treeLines(task, [], plain, now)[0] ?? "", new RegExp(`^! .* ${end_label} `))
    // A service of an earlier version does not say it in words.
    assert.include(taskTable([taskOf({ ended_by })], plain, now), `completed (${ended_by})`)
  }
  assert.include(taskTable([taskOf({ ended_by: "answer" })], paint, now), "\u001b[32mcompleted\u001b[39m")
})

it("A cancelled task says by whom", () => {
  const task = taskOf({
    status: "failed",
    ended_by: "cancelled",
    end_label: "Cancelled by Bob",
    error: "Cancelled: too late"
  })
  assert.include(taskTable([task], plain, now), "Cancelled by Bob")
  assert.include(details(task, [], { program: "troupe", logs: false, now, paint: plain }), "Cancelled by Bob: too late")
})

it("Colours do not change where the columns are", () => {
  const tasks = [taskOf(), taskOf({ status: "failed", title: "Other" })]
  const coloured = taskTable(tasks, makeTextStyle(true), now)
  assert.include(coloured, "\u001b[31mfailed\u001b[39m")
  assert.strictEqual(stripVTControlCharacters(coloured), taskTable(tasks, plain, now))
  assert.strictEqual(table([["a", "b"], ["long", "c"]]), "a     b\nlong  c\n")
})

it("Durations and sizes are short", () => {
  assert.deepStrictEqual(
    [-5, 400, 9_960, 59_400, 185_000, 7_800_000, 90_000_000].map(duration),
    ["0.0 s", "0.4 s", "10 s", "59 s", "3 min 5 s", "2 h 10 min", "1 d 1 h"]
  )
  assert.deepStrictEqual([0, 999, 1_500, 2_000_000].map(size), ["0 B", "999 B", "1.5 kB", "2.0 MB"])
})
