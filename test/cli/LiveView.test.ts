import { assert, it } from "@effect/vitest"
import * as LiveView from "@troupe/cli/LiveView"
import type { TaskEvent } from "@troupe/cli/TaskEvents"
import { logOf, plain } from "./Samples.ts"

const show = (events: ReadonlyArray<TaskEvent>, isLive = true) => {
  let view = LiveView.start
  let written = ""
  for (const event of events) {
    const [next, text] = LiveView.advance(view, event, { isLive, paint: plain })
    view = next
    written += text
  }
  return { view, written }
}

const log = (more: Parameters<typeof logOf>[0] = {}) => ({ _tag: "log", id: "1.0", entry: logOf(more) }) as const
const text = (delta: string) => ({ _tag: "text", delta }) as const
const model = (text: string) => log({ event: "model", message: "The model answered", data: { text } })

it("A step is a line: what the agent calls, with what, and what came of it", () => {
  const { written } = show([
    log(),
    log({ event: "tool_call", message: "write_file", data: { arguments: "{\"path\": \"a\u001b[2J\"}" } }),
    log({ event: "tool_call", level: "debug", message: "Started 1 call" }),
    log({ event: "tool_result", message: "write_file: done" }),
    log({ event: "tool_result", level: "warning", message: "read_file: Error: none" }),
    log({ event: "budget", level: "warning", message: "little left" })
  ])
  assert.strictEqual(
    written,
    "· The task started\n→ write_file {\"path\": \"a␛[2J\"}\n✓ write_file: done\n✗ read_file: Error: none\n! little left\n"
  )
})

it("A streamed text is written once, as it comes", () => {
  const { view, written } = show([
    text("Two \u001b[31m"),
    text("words"),
    model("Two \u001b[31mwords")
  ])
  assert.strictEqual(written, "Two ␛[31mwords\n· The model answered\n")
  assert.strictEqual(view.shown, "Two ␛[31mwords")
  assert.isFalse(view.isMidLine)
})

it("A text of which a part was lost is written whole when the step is saved", () => {
  const { written } = show([text("Two "), { _tag: "reconnecting" }, model("Two words")])
  assert.strictEqual(written, "Two \n! Connection lost; connecting again\nTwo words\n· The model answered\n")
})

it("A file or pipe gets whole lines alone, and no text before the result", () => {
  const { view, written } = show([text("Two "), model("Two words")], false)
  assert.strictEqual(written, "· The model answered\n")
  assert.strictEqual(view.shown, "", "the result is still to be written")
})

it("The status line counts what was used, and fits the terminal", () => {
  const { view } = show([
    { _tag: "status", id: "1.0", status: "running", error: null, ended_by: null, end_label: null },
    {
      _tag: "usage",
      id: "1.1",
      usage: { input_tokens: 1_200, output_tokens: 34, model_calls: 1, tool_calls: 0, cost: null }
    }
  ])
  const look = { isLive: true, paint: plain }
  assert.strictEqual(LiveView.statusLine(view, 0, 12_000, look, 80), "⠋ running · 1 model call · 1,234 tokens · 12 s")
  assert.strictEqual(LiveView.statusLine(view, 1, 12_000, look, 20), "⠙ running · 1 model")
})
