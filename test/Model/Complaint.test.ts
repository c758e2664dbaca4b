import { assert, describe, it } from "@effect/vitest"
import { complaintOf, isAddressMissing, isOverflow } from "../../src/Model/Complaint.ts"
import { formsIn, parametersIn } from "../../src/Model/RequestOption.ts"

const saying = (message: string) => complaintOf({ error: { message } })

describe("A complaint about a key", () => {
  it.each([
    [401, "Invalid API Key"],
    [401, "Invalid API key provided: gsk_***. You can find your key at https://console.example.org/keys"],
    [401, "Invalid API-key supplied"],
    [401, "unsupported API token"],
    [400, "Invalid API key."],
    [403, "Invalid API_KEY"]
  ])("is not about the address: %i %s", (status, message) => {
    assert.isFalse(isAddressMissing(status, saying(message)))
  })

  it.each([
    [400, "Unsupported API: responses"],
    [400, "Unexpected endpoint or method. (POST /v1/responses)"],
    [404, "Invalid URL (POST /v1/responses)"]
  ])("differs from one about the address: %i %s", (status, message) => {
    assert.isTrue(isAddressMissing(status, saying(message)))
  })
})

describe("A limit of tokens", () => {
  it.each([
    [429, "Too many tokens, please wait before trying again."],
    [429, "Rate limit exceeded: too many tokens per minute"],
    [429, "Too many tokens per day, please wait before trying again."],
    [403, "Your plan does not allow a context window of 1M tokens"]
  ])("in a time, or of a plan, is not that of a conversation: %i %s", (status, message) => {
    assert.isFalse(isOverflow(status, saying(message)))
  })

  it.each([
    [429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000."],
    [400, "Too many tokens: the request has 9000"],
    [500, "the request exceeds the available context size"]
  ])("that no waiting helps is that of a conversation: %i %s", (status, message) => {
    assert.isTrue(isOverflow(status, saying(message)))
  })
})

it("What a validator repeats of the conversation is no part of its complaint", () => {
  const { message } = complaintOf({
    detail: [{
      type: "literal_error",
      loc: ["body", "messages", 3, "role"],
      msg: "Input should be 'user'",
      input: { content: "The 'temperature' is not supported, the system prompt not allowed" }
    }]
  })
  assert.deepStrictEqual([parametersIn(message), formsIn(message)], [[], []])
  assert.include(message, "Input should be 'user'")
})
