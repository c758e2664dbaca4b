import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { text } from "node:stream/consumers"
import { envelope, say, sendChallenge, sendCommand, sendEvents, sendInteraction } from "./ChatEvents.ts"
import { makeChatPlatform, signingSecret } from "./ChatPlatform.ts"
import { serve } from "./LocalServer.ts"

interface Arrival {
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

const makeReceiver = Effect.gen(function*() {
  const arrivals: Array<Arrival> = []
  const url = yield* serve((request, response) =>
    void text(request).then((body) => {
      arrivals.push({ body, headers: request.headers })
      return response.end("ok")
    })
  )
  return { arrivals, url: `${url}/` }
})

const isSigned = ({ body, headers }: Arrival, brand: string) =>
  headers[`x-${brand}-signature`]
    === `v0=${
      createHmac("sha256", signingSecret).update(`v0:${String(headers[`x-${brand}-request-timestamp`])}:${body}`)
        .digest("hex")
    }`

describe("Events of the fake platform", () => {
  it.scopedLive("arrive signed, as often as asked, each with its id", () =>
    Effect.gen(function*() {
      const { arrivals, url } = yield* makeReceiver
      const platform = yield* makeChatPlatform
      platform.state.user("ADA")
      platform.state.channel("GENERAL")
      const said = say(platform, { channel: "CGENERAL", user: "UADA", text: "<@UTROUPE> help" })
      const left = envelope({ type: "member_left_channel", user: "UADA", channel: "CGENERAL" })
      yield* sendEvents(url, [...said.events, left], { times: 5, seed: 3 })
      assert.strictEqual(arrivals.length, 15)
      assert.isTrue(arrivals.every((arrival) => isSigned(arrival, "slack")))
      assert.strictEqual(new Set(arrivals.map(({ body }) => /"event_id":"(\w+)"/.exec(body)?.[1])).size, 3)
    }))

  it.scopedLive("so do challenges, interactions and commands", () =>
    Effect.gen(function*() {
      const { arrivals, url } = yield* makeReceiver
      const platform = yield* makeChatPlatform
      yield* sendChallenge(url, "abc", { brand: "Chat" })
      yield* sendInteraction(url, { type: "block_actions" })
      yield* sendCommand(platform, url, { user: "UADA", channel: "CGENERAL", text: "status" })
      assert.deepStrictEqual(arrivals.map((arrival) => [isSigned(arrival, "chat"), isSigned(arrival, "slack")]), [
        [true, false],
        [false, true],
        [false, true]
      ])
      assert.include(arrivals[2]?.body, "response_url=")
    }))
})
