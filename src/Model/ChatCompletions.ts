import type { AssistantMessage } from "@troupe/domain/Message"
import { Schema } from "effect"
import type { ModelSettings } from "../Runtime/Settings.ts"
import { jsonOf, sendableArguments } from "./Answer.ts"
import { answerOfChat, ChatOpaque, makeChatAssembly } from "./ChatReply.ts"
import { picturesOf, type SentMessage } from "./Model.ts"
import type { Dialect } from "./RemoteModel.ts"
import type { RemoteProvider } from "./RemoteProvider.ts"
import { makeToolJson, parametersOf } from "./ToolJson.ts"

/** The chat-completions dialect: Google's compatible endpoint, and what local servers speak. */
export const makeChatCompletions = (settings: ModelSettings, provider: RemoteProvider): Dialect => {
  const toolsOf = makeToolJson((tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: parametersOf(tool) }
  }))
  const messageOf = makeMessageJson(provider.model)
  return {
    name: "ChatCompletions",
    path: "/chat/completions",
    body: ({ maxOutputTokens, messages, onText, system, tools }, may) => {
      let body = `{"model":${jsonOf(provider.model)},"messages":[{"role":"system","content":${jsonOf(system)}}`
      for (const message of messages) body += `,${messageOf(message)}`
      body += "]"
      if (tools.tools.length > 0) body += `,"tools":${toolsOf(tools)}`
      if (may("temperature")) body += `,"temperature":${settings.temperature}`
      if (maxOutputTokens !== undefined) body += `,"max_tokens":${maxOutputTokens}`
      if (onText !== undefined) body += `,"stream":true`
      if (onText !== undefined && may("streamUsage")) body += `,"stream_options":{"include_usage":true}`
      return `${body}}`
    },
    read: (body) => answerOfChat(provider, body),
    assembly: () => makeChatAssembly(provider)
  }
}

/**
 * The JSON of messages, made once a message: the same objects come again with every call. A system message inside
 * the conversation (a summary) is sent as the user's, because chat templates and Google take none but the first,
 * and want the user to speak before the tools.
 */
const makeMessageJson = (model: string): (message: SentMessage) => string => {
  const made = new WeakMap<SentMessage, string>()
  return (message) => {
    const known = made.get(message)
    if (known !== undefined) return known
    const json = messageJson(model, message)
    made.set(message, json)
    return json
  }
}

const messageJson = (model: string, message: SentMessage): string => {
  switch (message.role) {
    case "user":
      return `{"role":"user","content":${contentJson(message)}}`
    case "system":
      return `{"role":"user","content":${jsonOf(`[Note from the system]\n${message.content}`)}}`
    case "tool":
      return `{"role":"tool","tool_call_id":${jsonOf(message.tool_call_id)},"content":${jsonOf(message.content)}}`
    case "assistant":
      return assistantJson(model, message)
  }
}

const contentJson = (message: SentMessage): string => {
  const pictures = picturesOf(message)
  const text = jsonOf(message.content)
  return pictures.length === 0 ?
    text :
    `[{"type":"text","text":${text}}${
      pictures.map((url) => `,{"type":"image_url","image_url":{"url":${JSON.stringify(url)}}}`).join("")
    }]`
}

const isOpaque = Schema.is(ChatOpaque)

const assistantJson = (model: string, { content, opaque, tool_calls }: AssistantMessage): string => {
  const kept = isOpaque(opaque) && opaque.model === model ? opaque : { message: null, calls: [] }
  const extra = (value: unknown) =>
    value === null || value === undefined ? "" : `,"extra_content":${JSON.stringify(value)}`
  const text = content === "" && tool_calls.length > 0 ? "null" : jsonOf(content)
  const calls = tool_calls.map((call, index) =>
    `{"id":${jsonOf(call.id)},"type":"function","function":{"name":${jsonOf(call.name)},"arguments":${
      jsonOf(sendableArguments(call.arguments))
    }}${extra(kept.calls[index])}}`
  )
  return `{"role":"assistant","content":${text}${calls.length === 0 ? "" : `,"tool_calls":[${calls.join(",")}]`}${
    extra(kept.message)
  }}`
}
