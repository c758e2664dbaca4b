import { assert, describe, it } from "@effect/vitest"
import { approvalReplyIn, decisionsOf, type ReplyRow } from "@troupe/domain/ApprovalReply"

const linesOf = (text: string) => approvalReplyIn(text)?.lines.map(({ approves, rows }) => [approves, rows])

describe("The first line of a reply decides", () => {
  it.each([
    "approve",
    "Approve.",
    "APPROVE!",
    "  approve  ",
    "**Approve**",
    "“approve”",
    "Approve all",
    "approve both.",
    "Approve all of them",
    "approve:",
    "Send",
    "\u200Bapprove\uFEFF",
    "approve\r\n\r\nBest regards,\r\nAda"
  ])("about all calls: %j", (text) => assert.deepStrictEqual(linesOf(text), [[true, null]]))

  it.each(["deny", "Deny.", "DENY", "Don't send", "Don’t send.", "deny\n\nIt is needed"])(
    "against all calls: %j",
    (text) => assert.deepStrictEqual(linesOf(text), [[false, null]])
  )

  it.each([
    "approve 1 3",
    "APPROVE 1,3",
    "approve 1, 3.",
    "approve 1 and 3",
    "Approve 1 & 3",
    "approve #1 #3",
    "approve: 1;3",
    "approve calls 1 and 3",
    "approve rows 1, 3",
    "approve no. 1, 3",
    "Approve 1. 3.",
    "approve 1,1,3"
  ])("about some of them: %j", (text) => assert.deepStrictEqual(linesOf(text), [[true, [1, 3]]]))

  it("about ranges of them", () => {
    for (const text of ["approve 1-3", "approve 1 – 3", "approve #1-#3"]) {
      assert.deepStrictEqual(linesOf(text), [[true, [1, 2, 3]]], text)
    }
  })

  it("and lines about further calls follow it, and what else it says", () => {
    const reply = approvalReplyIn("approve 1\ndeny 2\nTwo is too dear.")
    assert.deepStrictEqual(reply, {
      lines: [{ approves: true, rows: [1] }, { approves: false, rows: [2] }],
      rest: "Two is too dear."
    })
  })
})

describe("A reply decides nothing where its first line says anything else", () => {
  it.each([
    "",
    "approved",
    "approve?",
    "I approve",
    "approve if Bob agrees",
    "approve it tomorrow",
    "approve 1 but not 3",
    "approve one",
    "approve 0",
    "approve 3-1",
    "approve 1 3 please, and thanks",
    "not approve",
    "don't approve",
    "genehmigt",
    "ja",
    "yes",
    "ok",
    "approver",
    "> approve",
    "Send it",
    "Hello,\napprove",
    `approve ${"1 ".repeat(200)}`
  ])("%j", (text) => assert.isNull(approvalReplyIn(text)))
})

const row = (call: string, more: Partial<ReplyRow> = {}): ReplyRow => ({
  call,
  isOpen: true,
  isDestructive: false,
  isWhole: true,
  isAllowed: true,
  ...more
})

const decided = (text: string, ...rows: ReadonlyArray<ReplyRow>) => {
  const reply = approvalReplyIn(text)
  assert(reply !== null)
  const { decisions, left } = decisionsOf(reply, rows)
  return { decisions: decisions.map(({ approves, call }) => `${approves ? "+" : "-"}${call}`), left }
}

describe("A reply about all calls", () => {
  it("approves those that the mail may approve, and says why not the others", () => {
    const { decisions, left } = decided(
      "approve",
      row("a"),
      row("b", { isWhole: false }),
      row("c", { isDestructive: true }),
      row("d", { isOpen: false }),
      row("e", { isAllowed: false })
    )
    assert.deepStrictEqual(decisions, ["+a"])
    assert.deepStrictEqual(left, [
      "Call 2 is too long for the mail, which has not shown all of it.",
      "Call 3 destroys something, which no mail approves.",
      "Call 5 is for others to decide."
    ])
  })

  it("denies what no mail approves", () => {
    assert.deepStrictEqual(decided("deny", row("a", { isWhole: false }), row("b", { isDestructive: true })), {
      decisions: ["-a", "-b"],
      left: []
    })
  })

  it("says so where all is decided", () => {
    assert.deepStrictEqual(decided("approve", row("a", { isOpen: false })), {
      decisions: [],
      left: ["All of it is decided already."]
    })
  })
})

describe("A reply about some calls", () => {
  it("decides about them and no other", () => {
    assert.deepStrictEqual(decided("approve 1 3\ndeny 2", row("a"), row("b"), row("c"), row("d")), {
      decisions: ["+a", "+c", "-b"],
      left: []
    })
  })

  it.each(
    [
      ["approve 1 3", "There is no call 3: the question has 2 calls."],
      ["approve 1\ndeny 1", "Call 1 is named twice."],
      ["approve\ndeny 2", "It decides about the same calls more than once, so nothing was decided."]
    ] as const
  )("decides nothing where it can't follow all of it: %j", (text, why) => {
    const { decisions, left } = decided(text, row("a"), row("b"))
    assert.deepStrictEqual(decisions, [])
    assert.include(left, why)
  })
})
