import { assert, describe, it } from "@effect/vitest"
import { formsIn, parametersIn, toolIn } from "../../src/Model/RequestOption.ts"

/** Complaints as providers word them, and the parameters that they are about. */
const complaints: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ["max_tokens", "max_completion_tokens"]
  ],
  [
    "{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"max_completion_tokens\"],\"msg\":\"Extra inputs are not permitted\",\"input\":32000}]}",
    ["max_completion_tokens"]
  ],
  [
    "[{'type': 'extra_forbidden', 'loc': ('body', 'store'), 'msg': 'Extra inputs are not permitted', 'input': False}]",
    ["store"]
  ],
  ["Invalid JSON payload received. Unknown name \"parallel_tool_calls\": Cannot find field.", ["parallel_tool_calls"]],
  ["Extra parameters ['stream_options'] are not allowed when extra-parameters is not set", ["stream_options"]],
  ["Unrecognized request argument supplied: stream_options", ["stream_options"]],
  ["property 'parallel_tool_calls' is unsupported", ["parallel_tool_calls"]],
  ["Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported.", [
    "temperature"
  ]],
  ["`temperature` is deprecated for this model.", ["temperature"]],
  ["invalid temperature: only 1 is allowed for this model", ["temperature"]],
  ["Unknown parameter: 'tools[0].strict'.", ["strict"]],
  ["Encrypted content is not supported with this model.", ["include"]],
  ["Unsupported parameter: 'max_output_tokens'", ["max_output_tokens"]],
  // Values and lengths, not parameters.
  ["max_tokens is too large: 90000. This model supports at most 16384 completion tokens.", []],
  ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", []],
  ["max_tokens: 90000 > 32000, which is the maximum allowed number of output tokens", []],
  ["This model's maximum context length is 8192 tokens. Reduce the length of the messages or max_tokens.", []],
  ["Invalid 'temperature': decimal above maximum value. Expected a value <= 1", []],
  ["Conversation roles must alternate user/assistant/user/assistant/...", []],
  ["The response does not include a store.", []]
]

describe("A complaint about a request", () => {
  it.each(complaints)("%s", (complaint, parameters) => {
    assert.deepStrictEqual<ReadonlyArray<string>>(parametersIn(complaint), parameters)
  })

  it.each([
    ["Tool call id was call_0fyp but must be a-z, A-Z, 0-9, with a length of 9.", ["long_ids"]],
    ["messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", ["long_ids"]],
    ["Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64", ["long_ids"]],
    ["invalid message content type: <nil>", ["null_content"]],
    ["messages.2.content.str: Input should be a valid string", ["null_content"]],
    ["Unsupported value: 'messages[0].role' does not support 'system' with this model.", ["system_role"]],
    ["Jinja Exception: System role not supported", ["system_role"]],
    ["Developer instruction is not enabled for models/gemma-3-27b-it", ["system_role"]],
    ["Invalid 'tools[2].function.description': string too long. Expected a string with maximum length 1024", [
      "long_descriptions"
    ]],
    ["The `reasoning_content` in the thinking mode must be passed back to the API.", ["absent_reasoning"]],
    ["Missing `reasoning_content` field in the assistant message at message index 3.", ["absent_reasoning"]],
    ["thinking is enabled but reasoning_content is missing in assistant tool call message at index 2", [
      "absent_reasoning"
    ]],
    ["property 'reasoning_content' is unsupported", []],
    ["Your organization must be verified to stream this model.", ["stream"]],
    ["Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.", []],
    ["This model's maximum context length is 8192 tokens", []]
  ])("about a form of it: %s", (complaint, forms) => {
    assert.deepStrictEqual<ReadonlyArray<string>>(formsIn(complaint), forms)
  })

  it.each([
    ["Invalid schema for function 'crm__tag': In context=('properties', 'tags'), array schema missing items.", {
      name: "crm__tag"
    }],
    ["tools.14.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12", { index: 14 }],
    [
      "Unknown name \"const\" at 'tools[0].function_declarations[7].parameters.properties[1].value': Cannot find field.",
      {
        index: 7
      }
    ],
    ["Invalid value tools[6].function.parameters", { index: 6 }],
    ["[{'loc': ('body', 'tools', 3, 'function', 'parameters'), 'msg': 'Input should be a valid dictionary'}]", {
      index: 3
    }],
    ["messages[2].tool_calls[0].function.name is invalid", null],
    ["Tools are not supported by this model", null]
  ])("about a tool: %s", (complaint, tool) => {
    assert.deepStrictEqual(toolIn(complaint), tool)
  })
})
