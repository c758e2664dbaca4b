import { headOf } from "@troupe/domain/Text"
import { Option, Schema } from "effect"
import type { ModelRequest, ModelResponse, SentMessage } from "./Model.ts"

/** Of a longer text, only its beginning is in a span. */
const maxText = 10_000

/** Of a longer conversation, only the newest messages. */
const maxMessages = 100_000

/** The text of a message, a call or a result as a span has it. */
export const contentText = (text: string): string => headOf(text, maxText)

const textParts = (content: string) => content === "" ? [] : [{ type: "text", content: contentText(content) }]

const asJson = Schema.decodeUnknownOption(Schema.parseJson())

/** By the conventions the arguments are an object; a text that is none, or too long, is shown as it is. */
const argumentsOf = (text: string): unknown =>
  text.length > maxText ? contentText(text) : Option.getOrElse(asJson(text), () => text)

const partsOf = (message: SentMessage): ReadonlyArray<object> => {
  switch (message.role) {
    case "assistant":
      return [
        ...textParts(message.content),
        ...message.tool_calls.map(({ arguments: args, id, name }) => ({
          type: "tool_call",
          id,
          name,
          arguments: argumentsOf(args)
        }))
      ]
    case "tool":
      return [{ type: "tool_call_response", id: message.tool_call_id, response: contentText(message.content) }]
    default:
      return textParts(message.content)
  }
}

const newestOf = (messages: ModelRequest["messages"]): string => {
  const kept: Array<string> = []
  let room = maxMessages
  for (const message of messages.toReversed()) {
    const text = JSON.stringify({ role: message.role, parts: partsOf(message) })
    room -= text.length
    if (room < 0) break
    kept.push(text)
  }
  return `[${kept.toReversed().join()}]`
}

/** The content of a call by the GenAI conventions, as JSON. Images are left out. */
export const requestContent = (
  { messages, system }: Pick<ModelRequest, "messages" | "system">
): Readonly<Record<string, string>> => ({
  "gen_ai.system_instructions": JSON.stringify(textParts(system)),
  "gen_ai.input.messages": newestOf(messages)
})

export const answerContent = ({ cut, message }: ModelResponse): Readonly<Record<string, string>> => ({
  "gen_ai.output.messages": JSON.stringify([{
    role: message.role,
    parts: partsOf(message),
    finish_reason: cut !== undefined ? "length" : message.tool_calls.length > 0 ? "tool_call" : "stop"
  }])
})
