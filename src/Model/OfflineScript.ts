import { linesOutside } from "@troupe/domain/Fence"
import type { AssistantMessage, Message, ToolMessage } from "@troupe/domain/Message"

export interface Directive {
  readonly name: string
  readonly arguments: string
}

/** What the offline model finds in a conversation. Everything follows from the messages; nothing is remembered. */
export interface OfflineScript {
  /** Turns still to be played: the calls of each are made in parallel. */
  readonly remaining: ReadonlyArray<ReadonlyArray<Directive>>
  /** Turns played in the whole conversation, those included that a summary stands for. */
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

/** Consecutive directive lines make one turn; any other line ends it. */
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
  message.role === "user" ? linesOutside(message.content) : message.role === "system" ? message.content.split("\n") : []

const playedLine = /^Turns played so far: (\d+)$/m

/** The line by which a summary of the offline model says how many turns it stands for. */
export const playedNote = (turns: number): string => `Turns played so far: ${turns}`

const asksForTools = (message: Message): message is AssistantMessage =>
  message.role === "assistant" && message.tool_calls.length > 0

/**
 * The directives since the last answer, without the turns played since then. Summaries of the offline model contain the
 * rest.
 */
export const scriptOf = (messages: ReadonlyArray<Message>, isTool: (name: string) => boolean): OfflineScript => {
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
