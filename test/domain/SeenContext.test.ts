import { assert, describe, it } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import {
  contextAfter,
  hasWritten,
  isNamed,
  openingContext,
  passedOn,
  type SeenContext,
  shownByText
} from "@troupe/domain/SeenContext"
import type { Step } from "@troupe/domain/Step"
import { FastCheck as fc } from "effect"

const results = (
  over: Partial<Step & { readonly kind: "results" }> = {},
  name = "read_file",
  content = "text"
): Step => ({
  kind: "results",
  results: [{ message: { role: "tool", tool_call_id: ToolCallId.make("c"), name, content }, millis: 1 }],
  ...over
})
const decided = { revision: 0, preset: "balanced", calls: [] } as const
const said = (text: string, trusted?: boolean): Step => ({
  kind: "steered",
  messages: [{ by: null, text, ...(trusted === undefined ? {} : { trusted }) }]
})
const fold = (steps: ReadonlyArray<Step>, start: SeenContext = openingContext({}, [])): SeenContext =>
  steps.reduce((context, step, at) => contextAfter(context, step, at + 1), start)

describe("A context is outside", () => {
  it.each<readonly [string, Step, string | null]>([
    ["the result of a server", results({ decided, shown: { outside: "a result" } }), "a result"],
    ["a result of this version that shows nothing", results({ decided }), null],
    ["an old result of a server", results({}, "github__list"), "the result of github__list"],
    ["an old error of a server's tool", results({}, "github__list", "Error: no"), null],
    ["an old document", results({}, "read_document"), "the result of read_document"],
    ["an old file that was listed", results({}, "list_directory"), null],
    ["a message of the creator", said("Go on", true), null],
    ["a message with a quote", said("See below\n> Do this", true), "quoted or forwarded words"],
    ["a message of a stranger", said("Do this"), "a message of somebody without a right to the task"],
    [
      "a memory of outside origin",
      { kind: "prepared", skills: [], millis: 1, memories: [{ content: "x", date: "", score: 1, origin: "outside" }] },
      "a memory of a task that had read something from outside"
    ],
    ["a memory", { kind: "prepared", skills: [], millis: 1, memories: [{ content: "x", date: "", score: 1 }] }, null],
    [
      "a channel's message of a guest",
      {
        kind: "model",
        message: { role: "assistant", content: "", tool_calls: [] },
        tokens: [1, 1],
        millis: 1,
        shown: { outside: "a guest" }
      },
      "a guest"
    ]
  ])("because of %s", (_, step, because) => {
    const { outside } = fold([{ kind: "retried" }, step])
    assert.deepStrictEqual(outside, because === null ? null : { since: 2, because })
  })

  it("from the first step on, for good", () => {
    const context = fold([
      results({ decided }),
      results({ shown: { outside: "one" } }),
      results({ shown: { outside: "two" } })
    ])
    assert.deepStrictEqual(context.outside, { since: 2, because: "one" })
  })

  it("from the beginning where the request has it", () => {
    assert.deepStrictEqual(openingContext({ outside: "a webhook" }, []).outside, { since: 0, because: "a webhook" })
  })
})

it("A context is private from the first memory or private result on", () => {
  assert.isNull(fold([results({ decided })]).privateSince)
  assert.strictEqual(fold([results({ decided }), results({ decided, shown: { private: true } })]).privateSince, 2)
  const memories = [{ content: "x", date: "", score: 1 }]
  assert.strictEqual(fold([{ kind: "prepared", skills: [], millis: 1, memories }]).privateSince, 1)
})

it("A file is the task's own if it wrote that version before anything from outside", () => {
  const written = [{ path: "a.txt", digest: "1" }]
  const before = fold([results({ decided, written }), results({ decided, shown: { outside: "x" } })])
  assert.isTrue(hasWritten(before, { path: "a.txt", digest: "1" }))
  assert.isFalse(hasWritten(before, { path: "a.txt", digest: "2" }))
  const after = fold([results({ decided, shown: { outside: "x" } }), results({ decided, written })])
  assert.isFalse(hasWritten(after, { path: "a.txt", digest: "1" }))
})

it.each([
  [["Look at issue 42 of acme/site"], { repo: "acme/site", issue: 42 }, true],
  [["Look at issue 42 of acme/site"], { repo: "acme/site", issue: 4 }, false],
  [["Look at issue 42 of acme/site"], { repo: "acme/other" }, false],
  [["Look at issue 42"], {}, false],
  [["In ACME", "issue 7"], { repo: "acme", issue: "7", page: true }, true]
])("%j names %j: %s", (texts, args, named) => assert.strictEqual(isNamed({ texts }, args), named))

it.each([
  ["Send the figures.", {}],
  ["Tone: formal\n\n- one\n- two", {}],
  ["Please.\n\nOn Mon, 2 Nov 2026 at 10:00, Eve <eve@new.example> wrote:\n> Hello!\n", {
    outside: "quoted or forwarded words"
  }],
  ["See:\n<mail>\nDo this\n</mail>", { outside: "quoted or forwarded words" }]
])("A text of the task's people shows: %j", (text, shown) => assert.deepStrictEqual(shownByText(text), shown))

const anyStep = fc.oneof(
  fc.constant<Step>({ kind: "retried" }),
  fc.boolean().map((trusted) => said("Go on", trusted)),
  fc.record({ outside: fc.boolean(), isPrivate: fc.boolean(), digest: fc.string() }).map((
    { digest, isPrivate, outside }
  ) =>
    results({
      decided,
      written: [{ path: "a", digest }],
      shown: { ...(outside ? { outside: "x" } : {}), ...(isPrivate ? { private: true } : {}) }
    })
  )
)

it.prop("Once outside or private, a context stays so since the same step, and what it passes on begins there", {
  steps: fc.array(anyStep),
  more: fc.array(anyStep)
}, ({ more, steps }) => {
  const context = fold(steps)
  const later = more.reduce((one, step, at) => contextAfter(one, step, steps.length + at + 1), context)
  if (context.outside !== null) assert.deepStrictEqual(later.outside, context.outside)
  if (context.privateSince !== null) assert.strictEqual(later.privateSince, context.privateSince)
  if (context.outside !== null) assert.deepStrictEqual(later.written, context.written)
  const child = openingContext(passedOn(later), [])
  assert.strictEqual(child.outside === null, later.outside === null)
  assert.strictEqual(child.privateSince === null, later.privateSince === null)
})
