import type { Message } from "@troupe/domain/Message"
import { Buffer } from "node:buffer"
import type { ToolSet } from "../Model/Model.ts"

/** About four bytes of UTF-8 make a token: a fair guess for prose and code, and for scripts other than Latin too. */
const bytesPerToken = 4

/** What a provider adds around each message. */
const perMessage = 4

/** About what a picture costs, however many bytes it has. */
const perPicture = 1_000

export const tokensOfText = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

const ofMessages = new WeakMap<Message, number>()
const ofTools = new WeakMap<ToolSet, number>()

/** About how many tokens a message takes; counted once a message, as it comes again with every call. */
export const tokensOfMessage = (message: Message): number => {
  const known = ofMessages.get(message)
  if (known !== undefined) return known
  const counted = perMessage + tokensOfText(message.content)
    + (message.role === "assistant" ? tokensOfCalls(message.tool_calls) + tokensOfOpaque(message.opaque) : 0)
    + (message.role === "user" ? perPicture * (message.images?.length ?? 0) : 0)
  ofMessages.set(message, counted)
  return counted
}

const tokensOfCalls = (calls: ReadonlyArray<{ readonly name: string; readonly arguments: string }>): number =>
  calls.reduce((sum, call) => sum + perMessage + tokensOfText(call.name) + tokensOfText(call.arguments), 0)

const tokensOfOpaque = (opaque: unknown): number => opaque === undefined ? 0 : tokensOfText(JSON.stringify(opaque))

export const tokensOfTools = (set: ToolSet): number => {
  const known = ofTools.get(set)
  if (known !== undefined) return known
  const counted = tokensOfText(JSON.stringify(set.tools))
  ofTools.set(set, counted)
  return counted
}
