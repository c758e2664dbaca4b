import { assert, describe, it } from "@effect/vitest"
import { approvalsTable, namedRows, rowsOf, rowsText } from "@troupe/cli/ApprovalText"
import { makeTextStyle } from "@troupe/cli/Format"
import { type Approval, ApprovalId } from "@troupe/domain/Approval"
import { ToolCallId, UserId } from "@troupe/domain/Ids"
import { sampleApproval, sampleTask } from "../support/Samples.ts"

const paint = makeTextStyle(false)

const approval = (call: string, more: Partial<Approval> = {}): Approval => ({
  ...sampleApproval,
  tool_call_id: ToolCallId.make(call),
  context: "outside",
  outside_since: 3,
  outside_because: "the result of mail__read",
  private_since: 0,
  arguments: { path: "a" },
  rule: { index: 1, because: "Files are dear." },
  requester: UserId.make("alice"),
  who: ["requester", "carol"],
  created_at: "2026-11-28T10:00:00.000Z",
  ...more
})

const asking = (...approvals: ReadonlyArray<Approval>) => ({
  ...sampleTask(),
  approvals,
  last_tool_call_id: JSON.stringify(approvals.map(({ tool_call_id }) => tool_call_id))
})

describe("troupe approvals", () => {
  it("lists a call a line", () => {
    const lines = approvalsTable([approval("call_1", { tool: "a\u202Eb\u001B[2J" })], paint).split("\n")
    assert.match(lines[0] ?? "", /^TASK +CALL +ASKED +TOOL +CLASS +CONTEXT +STATUS$/)
    assert.match(
      lines[1] ?? "",
      /^\S+ +call_1 +2026-11-28 10:00 UTC +a⟨U\+202E⟩b⟨U\+001B⟩\[2J +destructive +outside +open$/
    )
  })

  it("shows all of a call, and the signs that nobody sees", () => {
    const text = rowsText(
      asking(approval("call_1", {
        arguments: { text: `${"x".repeat(9_000)}\u200B https://bank.example@evil.example/` },
        files: [{ path: "a\u001B.txt", size: 12, sha256: "0123456789abcdef" }]
      })),
      paint
    )
    for (
      const part of [
        "1. files__delete (destructive) of the tool server files",
        "Requester: alice",
        "Rule 2 asks about it: Files are dear.",
        "something from outside since step 3 (the result of mail__read), something private since the request",
        "May decide: its creator or assignee, carol",
        `${"x".repeat(9_000)}⟨U+200B⟩`,
        "Links lead to: evil.example",
        "a⟨U+001B⟩.txt (12 bytes, SHA-256 0123456789ab...)"
      ]
    ) assert.include(text, part)
    for (const sign of ["\u001B", "\u200B"]) assert.notInclude(text, sign)
  })

  it("says who decided, when, and by which way", () => {
    const decided = approval("call_1", {
      status: "approved",
      decided_by: UserId.make("alice"),
      decided_at: "2026-11-28T11:00:00.000Z",
      via: "command_line",
      edited: true
    })
    assert.include(
      rowsText(asking(decided), paint),
      "approved with other arguments by alice by command line at 2026-11-28 11:00 UTC"
    )
  })
})

describe("The calls that troupe approve and deny decide about", () => {
  const rows = [approval("call_1"), approval("call_22"), approval("other")]
  const named = (...words: ReadonlyArray<string>) => {
    const found = namedRows(rows, words)
    return "rows" in found ? found.rows.map(({ tool_call_id }): string => tool_call_id) : found.unknown
  }

  it("are named by place, by id, or by its beginning", () => {
    assert.deepStrictEqual(named("1", "3"), ["call_1", "other"])
    assert.deepStrictEqual(named("1,3"), ["call_1", "other"])
    assert.deepStrictEqual(named("call_22", "oth", "2"), ["call_22", "other"])
  })

  it.each(["0", "4", "call", "nothing", "-1"])("are not guessed: %s", (word) => assert.strictEqual(named(word), word))

  it("are those of the pending question in its order; of a call that was asked anew, the open one", () => {
    const again = approval("call_1", { id: ApprovalId.make("01a20a81-0000-7000-8000-0000000000ff"), edited: true })
    const task = {
      ...asking(approval("old", { status: "denied" }), approval("call_1", { status: "approved" }), again),
      last_tool_call_id: "[\"call_1\"]"
    }
    assert.deepStrictEqual(rowsOf(task), [again])
    assert.lengthOf(rowsOf({ ...task, last_tool_call_id: null }), 3)
  })
})
