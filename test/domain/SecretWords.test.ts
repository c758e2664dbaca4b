import { assert, describe, it } from "@effect/vitest"
import type { FormField } from "@troupe/domain/QuestionForm"
import { asksForSecret } from "@troupe/domain/SecretWords"

const text = { type: "string" } as const
const asks = (message: string, properties: Record<string, FormField>) =>
  asksForSecret(message, { type: "object", properties, required: [] })

describe("A form", () => {
  it.each<[string, Record<string, FormField>]>([
    ["Sign in", { password: text }],
    ["Sign in", { pw: { ...text, title: "Passwort" } }],
    ["Connect", { apiKey: text }],
    ["Connect", { "API_KEY": text }],
    ["Connect", { value: { ...text, description: "Your personal access token" } }],
    ["Connect", { token: text }],
    ["Connect", { github_token: text }],
    ["Connect", { SLACK_BOT_TOKEN: text }],
    ["Connect", { value: { ...text, title: "GitLab token (classic)" } }],
    ["Connect", { pat: text }],
    ["Pay", { card_number: { type: "integer" } }],
    ["Pay", { n: { ...text, title: "Credit card" } }],
    ["Paste your token here", { value: text }],
    ["Please enter your password", { value: text }],
    ["Confirm", { code: { ...text, title: "One-time code" } }]
  ])("%s %j asks for a secret", (message, properties) => assert.isTrue(asks(message, properties)))

  it.each<[string, Record<string, FormField>]>([
    ["Which issue?", { project_key: text }],
    ["Where did we stop?", { page_token: text }],
    ["How long?", { max_tokens: { type: "integer" } }],
    ["Reset the password of Ann?", { sure: { type: "boolean" } }],
    ["Which key?", { key_signature: { ...text, enum: ["C", "D"] } }],
    ["Tell us", { favourite: { type: "integer", description: "A number (do not give us your pin or password)" } }],
    ["Never enter a password here. What is your name?", { name: text }]
  ])("%s %j does not", (message, properties) => assert.isFalse(asks(message, properties)))
})
