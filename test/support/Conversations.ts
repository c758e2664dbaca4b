import type { Message } from "@troupe/domain/Message"

/** Whether the results of every message's calls follow it directly, in the order of the calls, with none missing. */
export const isPaired = (messages: ReadonlyArray<Message>): boolean => {
  let expected: Array<string> = []
  for (const message of messages) {
    if (message.role === "tool") {
      if (expected.shift() !== message.tool_call_id) return false
    } else {
      if (expected.length > 0) return false
      expected = message.role === "assistant" ? message.tool_calls.map(({ id }) => id) : []
    }
  }
  return expected.length === 0
}
