// A turn as it goes over the wire: in the two dialects of OpenAI, whole or as a stream, and as the stream of Anthropic's
// Messages API.
const pieces = (text, size) => {
  if (text === "") return []
  if (!(size > 0)) return [text]
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}

export const textOf = (value) => typeof value === "string" ? value : JSON.stringify(value ?? {})

const usageOf = (turn, body) => turn.usage ?? { input: body.length >> 2, output: 40 }

const chatCalls = (turn, newId) =>
  (turn.calls ?? []).map((call) => ({
    id: call.id ?? newId("call"),
    type: "function",
    function: { name: call.name, arguments: textOf(call.arguments) },
    ...(call.signature === undefined ? {} : { extra_content: { google: { thought_signature: call.signature } } })
  }))

const chatFinish = (turn) => turn.finish ?? ((turn.calls ?? []).length > 0 ? "tool_calls" : "stop")

const chatUsage = (turn, body) => {
  if (turn.usage === null) return {}
  const { cached, input, output } = usageOf(turn, body)
  const details = cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }
  return { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...details } }
}

const noise = { service_tier: "new", citations: [{ odd: true }], x_unknown: { deep: [1, null] } }

export const chatWhole = (turn, body, newId) => {
  const calls = chatCalls(turn, newId)
  return {
    id: newId("chatcmpl"),
    object: "chat.completion",
    created: 1700000000,
    model: "fake",
    ...(turn.noise ? noise : {}),
    choices: [{
      index: 0,
      finish_reason: chatFinish(turn),
      logprobs: null,
      message: {
        role: "assistant",
        content: turn.text ?? null,
        refusal: turn.refusal ?? null,
        ...(turn.noise ? { service_tier: noise.service_tier, citations: noise.citations } : {}),
        ...(calls.length > 0 ? { tool_calls: calls } : {})
      }
    }],
    ...chatUsage(turn, body)
  }
}

export const chatStream = (turn, body, newId) => {
  const base = { id: newId("chatcmpl"), object: "chat.completion.chunk", created: 1700000000, model: "fake" }
  const chunk = (delta, finish_reason = null) => ({ ...base, choices: [{ index: 0, delta, finish_reason }] })
  const calls = chatCalls(turn, newId).flatMap((call, index) => {
    const { arguments: args, name } = call.function
    const [first = "", ...rest] = pieces(args, turn.chunk)
    return [
      chunk({ tool_calls: [{ ...call, index, function: { name, arguments: first } }] }),
      ...rest.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
    ]
  })
  return [
    chunk({ role: "assistant", content: "" }),
    ...(turn.noise ? [{ ...base, choices: [], ...noise }] : []),
    ...pieces(turn.thinking ?? "", turn.chunk).map((reasoning_content) => chunk({ reasoning_content })),
    ...pieces(turn.text ?? "", turn.chunk).map((content) => chunk({ content })),
    ...pieces(turn.refusal ?? "", turn.chunk).map((refusal) => chunk({ refusal })),
    ...calls,
    chunk({}, chatFinish(turn)),
    ...(turn.usage === null ? [] : [{ ...base, choices: [], ...chatUsage(turn, body) }])
  ]
}

const responseOutput = (turn, newId) => {
  const content = [
    ...(turn.text === undefined ? [] : [{ type: "output_text", text: turn.text, annotations: [], logprobs: [] }]),
    ...(turn.refusal === undefined ? [] : [{ type: "refusal", refusal: turn.refusal }])
  ]
  return [
    ...(turn.reasoning === undefined
      ? []
      : [{ type: "reasoning", id: newId("rs"), summary: [], encrypted_content: turn.reasoning }]),
    ...(turn.noise ? [{ type: "web_search_call", id: newId("ws"), status: "completed", action: { odd: 1 } }] : []),
    ...(content.length === 0
      ? []
      : [{ type: "message", id: newId("msg"), status: "completed", role: "assistant", content }]),
    ...(turn.calls ?? []).map((call) => ({
      type: "function_call",
      id: newId("fc"),
      call_id: call.id ?? newId("call"),
      name: call.name,
      arguments: textOf(call.arguments),
      status: "completed"
    }))
  ]
}

const incomplete = { length: "max_output_tokens", content_filter: "content_filter" }

export const responseWhole = (turn, body, newId, output = responseOutput(turn, newId)) => {
  const { input, output: written } = usageOf(turn, body)
  const reason = incomplete[turn.finish]
  return {
    id: newId("resp"),
    object: "response",
    created_at: 1700000000,
    status: reason === undefined ? "completed" : "incomplete",
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    model: "fake",
    output,
    ...(turn.noise ? noise : {}),
    ...(turn.usage === null
      ? {}
      : { usage: { input_tokens: input, output_tokens: written, total_tokens: input + written } })
  }
}

export const responseStream = (turn, body, newId) => {
  const output = responseOutput(turn, newId)
  const whole = responseWhole(turn, body, newId, output)
  const items = output.flatMap((item, output_index) => {
    const at = { item_id: item.id, output_index }
    const parts = item.type === "message"
      ? item.content.flatMap((part, content_index) => {
        const kind = part.type === "refusal" ? "refusal" : "output_text"
        return pieces(part.text ?? part.refusal, turn.chunk)
          .map((delta) => ({ type: `response.${kind}.delta`, ...at, content_index, delta }))
      })
      : item.type === "function_call"
      ? pieces(item.arguments, turn.chunk).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...at,
        delta
      }))
      : []
    return [
      { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
      ...parts,
      { type: "response.output_item.done", output_index, item }
    ]
  })
  return [
    { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
    ...(turn.noise ? [{ type: "response.unheard_of", ...noise }] : []),
    ...items,
    { type: `response.${whole.status}`, response: whole }
  ].map((event, sequence_number) => ({ ...event, sequence_number }))
}

const stopReasons = { length: "max_tokens", content_filter: "refusal" }

const messageBlock = (index, content_block, deltas) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index }
]

export const messageStream = (turn, body, newId) => {
  const { input, output } = turn.usage ?? { input: body.length >> 2, output: 5 }
  const calls = turn.calls ?? []
  const text = turn.text ?? turn.refusal
  const blocks = [
    ...(text === undefined ? [] : [{ content: { type: "text", text: "" }, deltas: pieces(text, turn.chunk) }]),
    ...calls.map((call) => ({
      content: { type: "tool_use", id: call.id ?? newId("toolu"), name: call.name, input: {} },
      deltas: pieces(
        textOf(call.arguments),
        turn.chunk
      )
    }))
  ]
  return [
    {
      type: "message_start",
      message: {
        id: newId("msg"),
        type: "message",
        role: "assistant",
        model: "fake",
        content: [],
        stop_reason: null,
        usage: { input_tokens: input, output_tokens: 1 }
      }
    },
    { type: "ping" },
    ...blocks.flatMap(({ content, deltas }, index) =>
      messageBlock(
        index,
        content,
        deltas.map((piece) =>
          content.type === "text"
            ? { type: "text_delta", text: piece }
            : { type: "input_json_delta", partial_json: piece }
        )
      )
    ),
    {
      type: "message_delta",
      delta: { stop_reason: stopReasons[turn.finish] ?? (calls.length > 0 ? "tool_use" : "end_turn") },
      usage: { output_tokens: output }
    },
    { type: "message_stop" }
  ]
}
