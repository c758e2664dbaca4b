import type { ToolMessage } from "@troupe/domain/Message"
import { openCalls, type Run } from "@troupe/domain/Run"
import type { Modelled, Step } from "@troupe/domain/Step"
import { Struct } from "effect"
import type { Command } from "./Inbox.ts"

/** Answers as the results of the calls that asked, all in one step; null without any. One to no open call is dropped. */
export const answersTo = ({ turn }: Run, commands: ReadonlyArray<Command>): Step | null => {
  const open = turn === null ? [] : openCalls(turn)
  const answers = commands.flatMap(({ body }) => body.kind === "answered" ? [body] : [])
  const results = answers.flatMap(({ text, toolCallId }) => {
    const call = open.find(({ id }) => id === toolCallId)
    if (call === undefined) return []
    const message: ToolMessage = { role: "tool", tool_call_id: call.id, name: call.name, content: text }
    return [{ message, millis: 0 }]
  })
  return answers.length === 0 ? null : { kind: "results", results }
}

export const messagesIn = (commands: ReadonlyArray<Command>): Step => ({
  kind: "steered",
  messages: commands.flatMap(({ body }) => body.kind === "steered" ? [{ text: body.text, by: body.by }] : [])
})

export const reopened = (step: Modelled): Step => Struct.omit(step, "end", "files", "note", "output", "reported")
