// The events with which Anthropic's Messages API streams a turn of the scripted model (see modelServer.d.mts).

const stopReasons = { length: "max_tokens", content_filter: "refusal" }

const pieces = (text, size = text.length) =>
  text === ""
    ? []
    : Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

const block = (index, content_block, deltas) => [
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
        typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {}),
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
      block(
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
