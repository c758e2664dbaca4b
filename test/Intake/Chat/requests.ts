import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { sendCommand, sendInteraction, type SignOptions } from "../../support/ChatEvents.ts"
import { posts, processed, said, Service, tasks } from "./service.ts"

export const channel = "CGENERAL"

export const mention = { channel, user: "UADA", text: "<@UTROUPE> compare the offers" }

export const command = (text: string, user = "UADA", options?: SignOptions) =>
  Effect.gen(function*() {
    const { platform, url } = yield* Service
    const { body, status } = yield* sendCommand(platform, `${url}/team-chat/command`, { user, channel, text }, options)
    const answer = JSON.parse(body)
    return {
      status,
      text: String(answer.text),
      type: answer.response_type,
      blocks: JSON.stringify(answer.blocks ?? [])
    }
  })

/** What a command that changes something answers in the end. */
export const told = (text: string) =>
  Effect.gen(function*() {
    assert.include((yield* command(text)).text, "the answer follows")
    yield* processed
    const [last] = (yield* posts).slice(-1)
    const payload: unknown = JSON.parse(last?.payload ?? "null")
    assert(typeof payload === "object" && payload !== null && "text" in payload && "response_url" in payload)
    return { text: String(payload.text), blocks: JSON.stringify("blocks" in payload ? payload.blocks : []) }
  })

export const press = (action: object, user = "UADA") =>
  Effect.gen(function*() {
    const { platform, url } = yield* Service
    const { body, status } = yield* sendInteraction(`${url}/team-chat/interactive`, {
      type: "block_actions",
      user: { id: user },
      response_url: platform.responseUrl,
      actions: [action]
    })
    assert.strictEqual(status, 200)
    return String(JSON.parse(body).text)
  })

export const givenTask = Effect.flatMap(said(mention), () =>
  Effect.map(tasks, ([task]) => {
    assert(task !== undefined)
    return task.id
  }))
