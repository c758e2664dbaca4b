import type { AssistantMessage } from "@troupe/domain/Message"
import { Schema } from "effect"
import type { ModelSettings } from "../Runtime/Settings.ts"
import { jsonOf, sendableArguments } from "./Answer.ts"
import { picturesOf, type SentMessage } from "./Model.ts"
import type { Dialect } from "./RemoteModel.ts"
import type { RemoteProvider } from "./RemoteProvider.ts"
import { answerOfResponse, makeResponseAssembly, ResponsesOpaque } from "./ResponsesReply.ts"
import { makeToolJson, parametersOf } from "./ToolJson.ts"

/** OpenAI's Responses dialect. Nothing is kept at the provider: encrypted reasoning travels with the conversation. */
export const makeResponses = (settings: ModelSettings, provider: RemoteProvider): Dialect => {
  const toolsOf = makeToolJson((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: parametersOf(tool),
    strict: false
  }))
  const itemsOf = makeItemsJson(provider.model)
  return {
    name: "Responses",
    path: "/responses",
    body: ({ maxOutputTokens, messages, onText, system, tools }, may) => {
      let input = ""
      for (const message of messages) input += itemsOf(message)
      let body = `{"model":${jsonOf(provider.model)},"instructions":${jsonOf(system)},"input":[${input.slice(1)}]`
      if (tools.tools.length > 0) body += `,"tools":${toolsOf(tools)},"parallel_tool_calls":true`
      body += `,"store":false`
      if (may("temperature")) body += `,"temperature":${settings.temperature}`
      if (may("encryptedReasoning")) body += `,"include":["reasoning.encrypted_content"]`
      if (maxOutputTokens !== undefined) body += `,"max_output_tokens":${maxOutputTokens}`
      if (onText !== undefined) body += `,"stream":true`
      return `${body}}`
    },
    read: (body) => answerOfResponse(provider, body),
    assembly: () => makeResponseAssembly(provider)
  }
}

/** The JSON items of messages, each with a comma before it; made once a message, which comes again with every call. */
const makeItemsJson = (model: string): (message: SentMessage) => string => {
  const made = new WeakMap<SentMessage, string>()
  return (message) => {
    const known = made.get(message)
    if (known !== undefined) return known
    const json = itemsJson(model, message)
    made.set(message, json)
    return json
  }
}

const itemsJson = (model: string, message: SentMessage): string => {
  switch (message.role) {
    case "user":
    case "system":
      return `,{"role":"${message.role}","content":${contentJson(message)}}`
    case "tool":
      return `,{"type":"function_call_output","call_id":${jsonOf(message.tool_call_id)},"output":${
        jsonOf(message.content)
      }}`
    case "assistant":
      return assistantItems(model, message)
  }
}

const contentJson = (message: SentMessage): string => {
  const pictures = picturesOf(message)
  const text = jsonOf(message.content)
  return pictures.length === 0 ?
    text :
    `[{"type":"input_text","text":${text}}${
      pictures.map((url) => `,{"type":"input_image","detail":"auto","image_url":${JSON.stringify(url)}}`).join("")
    }]`
}

const isOpaque = Schema.is(ResponsesOpaque)

/** Reasoning goes back to the place it came from: in front of the message, or of the call that it led to. */
const assistantItems = (model: string, { content, opaque, tool_calls }: AssistantMessage): string => {
  if (content === "" && tool_calls.length === 0) return ""
  const kept = isOpaque(opaque) && opaque.model === model ? opaque.reasoning : []
  const before = (call: number) =>
    kept.filter((one) => one.before === call).map(({ item }) => `,${JSON.stringify(item)}`).join("")
  const text = content === "" ? "" : `,{"role":"assistant","content":${jsonOf(content)}}`
  const calls = tool_calls.map((call, index) =>
    `${index === 0 ? "" : before(index)},{"type":"function_call","call_id":${jsonOf(call.id)},"name":${
      jsonOf(call.name)
    },"arguments":${jsonOf(sendableArguments(call.arguments))}}`
  )
  return before(0) + text + calls.join("")
}
