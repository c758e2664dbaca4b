import { ToolCallId } from "@troupe/domain/Ids"
import type { AssistantMessage, Message, ToolMessage } from "@troupe/domain/Message"
import { linesOutsideMarks, unmarked } from "@troupe/domain/Text"
import { Effect } from "effect"
import { estimatedTokens, messageCharacters, requestCharacters } from "./Completion.ts"
import type { Model, ModelRequest } from "./Model.ts"

const firstLine = "This is the offline model: it understands no language and only follows directives."
const hint =
  "Write lines like `use list_directory {\"path\": \".\"}` to have tools called; a blank line starts the next turn."

/** Needs no network and no key: it plays the `use <tool> {json}` lines of the user's messages. */
export const offlineModel: Model["Type"] = {
  provider: "offline",
  model: "offline",
  sees: () => false,
  probe: Effect.void,
  generate: Effect.fn("Offline.generate")(function*(request: ModelRequest) {
    const message = completionOf(request)
    const { onText } = request
    if (onText !== undefined) yield* Effect.forEach(wordsOf(message.content), onText, { discard: true })
    return {
      message,
      inputTokens: estimatedTokens(requestCharacters(request)),
      outputTokens: estimatedTokens(messageCharacters(message))
    }
  })
}

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\S+\s*|^\s+/g) ?? []

const completionOf = ({ messages, offline, summarises, tools }: ModelRequest): AssistantMessage => {
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

/** A request without tools asks for a summary, which keeps the directives that remain. */
const summaryOf = (script: OfflineScript): string => {
  const left = script.remaining.map((turn) => turn.map(({ arguments: args, name }) => `use ${name} ${args}`).join("\n"))
  return [reportOf(script), ...(script.played === 0 ? [] : [playedNote(script.played)]), ...left].join("\n\n")
}

const lineOf = ({ content: given, name }: ToolMessage): string => {
  const content = unmarked(given)
  const [line = ""] = content.trimStart().split(/\r\n|\r|\n/, 1)
  return `- ${name}: ${content.startsWith("Error:") ? "error" : "ok"}: ${
    line.length > 200 ? `${line.slice(0, 197)}...` : line
  }`
}

interface Directive {
  readonly name: string
  readonly arguments: string
}

interface OfflineScript {
  /** Turns still to be played: the calls of each are made in parallel. */
  readonly remaining: ReadonlyArray<ReadonlyArray<Directive>>
  /** Turns played in the whole conversation, also in summarised messages. */
  readonly played: number
  readonly results: ReadonlyArray<ToolMessage>
}

const directiveStart = /^use\s+([\w.:-]+)/

/** Prose may begin with "use" too: what follows must look like JSON, unless the tool is one of those offered. */
const directiveOf = (line: string, isTool: (name: string) => boolean): Directive | null => {
  const text = line.trim()
  const [start = "", name] = directiveStart.exec(text) ?? []
  if (name === undefined) return null
  const rest = text.slice(start.length).trimStart()
  return isTool(name) || /^[{[]/.test(rest) ? { name, arguments: rest === "" ? "{}" : rest } : null
}

const turnsOf = (
  lines: ReadonlyArray<string>,
  isTool: (name: string) => boolean
): ReadonlyArray<ReadonlyArray<Directive>> => {
  const turns: Array<Array<Directive>> = []
  let isOpen = false
  for (const line of lines) {
    const directive = directiveOf(line, isTool)
    if (directive === null) isOpen = false
    else if (isOpen) turns.at(-1)?.push(directive)
    else {
      turns.push([directive])
      isOpen = true
    }
  }
  return turns
}

/** What a message of a user marks as data from outside is no directive. */
const linesOf = (message: Message): ReadonlyArray<string> =>
  message.role === "user"
    ? linesOutsideMarks(message.content)
    : message.role === "system"
    ? message.content.split("\n")
    : []

const playedLine = /^Turns played so far: (\d+)$/m

/** The line by which a summary of the offline model says how many turns it stands for. */
const playedNote = (turns: number): string => `Turns played so far: ${turns}`

const asksForTools = (message: Message): message is AssistantMessage =>
  message.role === "assistant" && message.tool_calls.length > 0

/** The directives since the last answer, without the turns played since then. */
const scriptOf = (messages: ReadonlyArray<Message>, isTool: (name: string) => boolean): OfflineScript => {
  const start = messages.findLastIndex((message) => message.role === "assistant" && !asksForTools(message)) + 1
  const current = messages.slice(start)
  const turns = current.flatMap((message) => turnsOf(linesOf(message), isTool))
  const noted = messages.reduce(
    (sum, message) => message.role === "system" ? sum + Number(playedLine.exec(message.content)?.[1] ?? 0) : sum,
    0
  )
  return {
    remaining: turns.slice(current.filter(asksForTools).length),
    played: noted + messages.filter(asksForTools).length,
    results: current.flatMap((message) => message.role === "tool" ? [message] : [])
  }
}
