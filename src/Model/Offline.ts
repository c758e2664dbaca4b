import { unfenced } from "@troupe/domain/Fence"
import { ToolCallId } from "@troupe/domain/Ids"
import type { AssistantMessage, ToolMessage } from "@troupe/domain/Message"
import { Effect } from "effect"
import { messageCharacters, requestCharacters, tokensOf } from "./Answer.ts"
import type { Model, ModelRequest } from "./Model.ts"
import { type OfflineScript, playedNote, scriptOf } from "./OfflineScript.ts"

const firstLine = "This is the offline model: it understands no language and only follows directives."
const hint =
  "Write lines like `use list_directory {\"path\": \".\"}` to have tools called; a blank line starts the next turn."

/**
 * Needs no network and no key: it plays the `use <tool> {json}` lines of the user's messages, always with the same
 * result.
 */
export const offlineModel: Model["Type"] = {
  provider: "offline",
  model: "offline",
  sees: () => false,
  probe: Effect.void,
  generate: Effect.fn("Offline.generate")(function*(request: ModelRequest) {
    const message = answerOf(request)
    const { onText } = request
    if (onText !== undefined) yield* Effect.forEach(wordsOf(message.content), onText, { discard: true })
    return {
      message,
      inputTokens: tokensOf(requestCharacters(request)),
      outputTokens: tokensOf(messageCharacters(message))
    }
  })
}

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\S+\s*|^\s+/g) ?? []

const answerOf = ({ messages, offline, summarises, tools }: ModelRequest): AssistantMessage => {
  if (offline !== undefined) return { role: "assistant", content: offline(), tool_calls: [] }
  const names = new Set(tools.tools.map((tool) => tool.name))
  const script = scriptOf(summarises ?? messages, (name) => names.has(name))
  const [turn] = script.remaining
  if (names.size === 0) return { role: "assistant", content: summaryOf(script), tool_calls: [] }
  if (turn === undefined) return { role: "assistant", content: reportOf(script), tool_calls: [] }
  return {
    role: "assistant",
    content: "",
    tool_calls: turn.map((directive, index) => ({
      id: ToolCallId.make(`offline_${script.played}_${index}`),
      ...directive
    }))
  }
}

const reportOf = ({ results }: OfflineScript): string => {
  const done = results.length === 0
    ? [`No tool was called. ${hint}`]
    : [`Tool calls made: ${results.length}`, ...results.map(lineOf)]
  return [firstLine, "", ...done].join("\n")
}

/** Who offers no tools wants a summary: it says what was done, and carries on what is still to be done. */
const summaryOf = (script: OfflineScript): string => {
  const left = script.remaining.map((turn) => turn.map(({ arguments: args, name }) => `use ${name} ${args}`).join("\n"))
  return [reportOf(script), ...(script.played === 0 ? [] : [playedNote(script.played)]), ...left].join("\n\n")
}

const lineOf = ({ content: given, name }: ToolMessage): string => {
  const content = unfenced(given)
  const [line = ""] = content.trimStart().split(/\r\n|\r|\n/, 1)
  return `- ${name}: ${content.startsWith("Error:") ? "error" : "ok"}: ${
    line.length > 200 ? `${line.slice(0, 197)}...` : line
  }`
}
