// What the strictest providers demand of a request, in the three protocols that modelServer.mjs speaks: known parameters
// alone, roles in order, a result for each call, no empty text, and tools whose schemas are valid at every depth.
import { schemaRefusal } from "./schemaDemands.mjs"

const known = {
  chat: [
    "model",
    "messages",
    "tools",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "stream",
    "stream_options"
  ],
  messages: ["model", "max_tokens", "messages", "system", "tools", "tool_choice", "temperature", "stream", "thinking"],
  responses: [
    "model",
    "instructions",
    "input",
    "tools",
    "parallel_tool_calls",
    "store",
    "temperature",
    "include",
    "max_output_tokens",
    "stream"
  ]
}

class Refusal extends Error {}

const refuse = (message) => {
  throw new Refusal(message)
}

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

const demandText = (at, text) => {
  if (typeof text !== "string") refuse(`${at}: text must be a string`)
  if (text.trim() === "") refuse(`${at}: text content blocks must contain non-whitespace text`)
}

/** The text of a message in the dialects of OpenAI: a string, or parts with images. */
const demandContent = (at, content) => {
  if (!Array.isArray(content)) return demandText(`${at}.content`, content)
  if (content.length === 0) refuse(`${at}.content: must not be empty`)
  for (const part of content) if (part.type === "text" || part.type === "input_text") demandText(at, part.text)
}

const demandId = (at, id, pattern) => {
  if (!pattern.test(id)) refuse(`${at}: tool call id should match pattern '${pattern.source}'`)
}

const demandName = (at, name) => {
  if (!/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(name)) {
    refuse(`${at}.name: '${name}' does not match '^[a-zA-Z][a-zA-Z0-9_-]*$'`)
  }
}

const demandArguments = (at, text) => {
  let value
  try {
    value = JSON.parse(text)
  } catch {
    return refuse(`${at}.arguments: not valid JSON`)
  }
  if (!isRecord(value)) refuse(`${at}.arguments: not an object`)
}

const anyId = /^.{1,64}$/

/** Turns: `role`, and the ids of its calls and results. */
const demandOrder = (turns, { ids, isResultOfUser = false }) => {
  const open = new Set()
  const used = new Set()
  let before = null
  for (const { calls = [], results = [], role } of turns) {
    if (before === null && role !== "user") refuse(`the first message must be of the user, not ${role}`)
    if (role === "tool" || isResultOfUser && results.length > 0) {
      if (before !== "assistant" && before !== "tool") refuse(`Unexpected role 'tool' after role '${before}'`)
      for (const id of results) if (!open.delete(id)) refuse(`the result of '${id}' has no call directly before it`)
    }
    if (role !== "tool" && open.size > 0) refuse(`calls without results: ${[...open].join(", ")}`)
    if (role === "user" && before === "user") {
      refuse("Conversation roles must alternate user/assistant/user/assistant/...")
    }
    if (role === "user" && before === "tool") refuse("Unexpected role 'user' after role 'tool'")
    if (role === "assistant" && before === "assistant") {
      refuse("Conversation roles must alternate user/assistant/user/assistant/...")
    }
    for (const id of calls) {
      demandId(role, id, ids)
      if (used.has(id)) refuse(`the id '${id}' is used twice`)
      used.add(id)
      open.add(id)
    }
    before = role
  }
  if (turns.length === 0) refuse("messages must not be empty")
  if (open.size > 0) refuse(`calls without results: ${[...open].join(", ")}`)
  if (before === "assistant") refuse("Expected last role User or Tool for serving but got assistant")
}

const checked = new Map()

const demandTools = (tools = []) => {
  if (!Array.isArray(tools) || tools.length > 128) refuse("tools: a list of at most 128 is expected")
  for (const [index, tool] of tools.entries()) {
    const { description, input_schema, name, parameters = input_schema } = tool.function ?? tool
    demandName(`tools.${index}`, name)
    if (typeof description !== "string") refuse(`tools.${index}.description: must be a string`)
    const text = JSON.stringify(parameters)
    if (!checked.has(text)) checked.set(text, schemaRefusal(parameters))
    const refusal = checked.get(text)
    if (refusal !== null) refuse(`Invalid schema for function '${name}': ${refusal}`)
  }
  const names = tools.map((tool) => (tool.function ?? tool).name)
  if (new Set(names).size < names.length) refuse("tools: names must be unique")
}

const chatTurn = (message, index) => {
  const at = `messages.${index}`
  switch (message.role) {
    case "user":
      demandContent(at, message.content)
      return { role: "user" }
    case "tool":
      demandText(at, message.content)
      return { role: "tool", results: [message.tool_call_id] }
    case "assistant": {
      const calls = message.tool_calls ?? []
      if (message.tool_calls !== undefined && calls.length === 0) refuse(`${at}.tool_calls: must not be empty`)
      if (calls.length === 0 || message.content !== null) demandContent(at, message.content)
      for (const call of calls) {
        demandName(at, call.function.name)
        demandArguments(at, call.function.arguments)
      }
      return { role: "assistant", calls: calls.map(({ id }) => id) }
    }
    default:
      return refuse(`${at}: Unexpected role '${message.role}'`)
  }
}

const demandChat = ({ messages }) => {
  const rest = messages[0]?.role === "system" ? messages.slice(1) : messages
  if (rest !== messages) demandText("messages.0", messages[0].content)
  demandOrder(rest.map(chatTurn), { ids: anyId })
}

/** The items of one turn of the assistant (reasoning, text, calls) count as one, and so do those of results. */
const responseTurns = (input) => {
  const turns = []
  const add = (role, part) => {
    const last = turns.at(-1)
    if (role === "user" || last?.role !== role || role === "assistant" && last.isDone && part.isText) {
      turns.push({ role, calls: [], results: [] })
    }
    const turn = turns.at(-1)
    turn.calls.push(...part.calls ?? [])
    turn.results.push(...part.results ?? [])
    turn.isDone = part.isText === true || turn.isDone
  }
  for (const [index, item] of input.entries()) {
    const at = `input.${index}`
    if (item.type === "function_call") {
      demandName(at, item.name)
      demandArguments(at, item.arguments)
      add("assistant", { calls: [item.call_id] })
    } else if (item.type === "function_call_output") {
      demandText(at, item.output)
      add("tool", { results: [item.call_id] })
    } else if (item.type === "reasoning") add("assistant", {})
    else if (item.role === "user" || item.role === "assistant") {
      demandContent(at, item.content)
      add(item.role, { isText: true })
    } else refuse(`${at}: Unexpected role '${item.role}'`)
  }
  return turns
}

const messageTurn = ({ content, role }, index) => {
  const at = `messages.${index}`
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
  if (blocks.length === 0) refuse(`${at}: must have non-empty content`)
  const ofType = (type) => blocks.filter((block) => block.type === type)
  for (const { text } of ofType("text")) demandText(at, text)
  for (const { input, name } of ofType("tool_use")) {
    demandName(at, name)
    if (!isRecord(input)) refuse(`${at}: input must be an object`)
  }
  const results = ofType("tool_result")
  if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result")) {
    refuse(`${at}: tool_result blocks must be first`)
  }
  if (role !== "user" && role !== "assistant") refuse(`${at}: Unexpected role '${role}'`)
  return { role, calls: ofType("tool_use").map(({ id }) => id), results: results.map((block) => block.tool_use_id) }
}

const demand = {
  chat: demandChat,
  messages: ({ max_tokens, messages }) => {
    if (!Number.isInteger(max_tokens)) refuse("max_tokens: Field required")
    demandOrder(messages.map(messageTurn), { ids: /^[a-zA-Z0-9_-]{1,64}$/, isResultOfUser: true })
  },
  responses: ({ input }) => demandOrder(responseTurns(input), { ids: anyId })
}

/** Why a strict provider refuses the body of a request; null if it does not. */
export const refusalOf = (kind, body) => {
  try {
    for (const name of Object.keys(body)) {
      if (!known[kind].includes(name)) refuse(`Unrecognized request argument supplied: ${name}`)
    }
    if (typeof body.model !== "string") refuse("model: Field required")
    demand[kind](body)
    demandTools(body.tools)
    return null
  } catch (cause) {
    return cause instanceof Refusal ? cause.message : `The request can't be read: ${cause}`
  }
}
