import { assert, describe, it } from "@effect/vitest"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { makeEventMeter, makeFloodMeter } from "../../src/ToolServer/FloodMeter.ts"

/** A transport whose messages are counted, at a time that the test sets. */
const metered = () => {
  const floods: Array<string> = []
  let millis = 0
  const meter = makeFloodMeter(() => millis, (why) => floods.push(why))
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: () => Promise.resolve(),
    close: () => Promise.resolve()
  }
  meter.watch(transport)
  const receive = (message: JSONRPCMessage, times: number) => {
    for (let time = 0; time < times; time++) transport.onmessage?.(message)
  }
  return { floods, meter, transport, receive, at: (now: number) => void (millis = now) }
}

const notification: JSONRPCMessage = { jsonrpc: "2.0", method: "notifications/message" }
const answer: JSONRPCMessage = { jsonrpc: "2.0", id: 1, result: {} }
const request: JSONRPCMessage = { jsonrpc: "2.0", id: 1, method: "tools/call" }

describe("A flood", () => {
  it("is more than so many messages in one second, and not in several", () => {
    const { at, floods, receive } = metered()
    for (const second of [0, 1, 2]) {
      at(second * 1_000)
      receive(notification, 1_500)
    }
    assert.isEmpty(floods)
    receive(notification, 1_500)
    assert.lengthOf(floods, 1)
  })

  it("is not the answers that were asked for, however many and long, but those beyond", () => {
    const { floods, meter, receive, transport } = metered()
    for (let call = 0; call < 5_000; call++) {
      void transport.send(request)
      meter.add(1_000_000, 1)
      receive(answer, 1)
    }
    assert.isEmpty(floods)
    receive(answer, 2_001)
    assert.lengthOf(floods, 1)
  })

  it("is also fewer messages that are long, and lines that are no messages", () => {
    const long = metered()
    for (let message = 0; message < 10; message++) {
      long.meter.add(1_000_000, 1)
      long.receive(notification, 1)
    }
    assert.lengthOf(long.floods, 1)
    const lines = metered()
    lines.meter.add(10, 10_001)
    assert.lengthOf(lines.floods, 1)
  })

  it("is not an answer of full size that is still under way while other messages come", () => {
    const { floods, meter, receive, transport } = metered()
    void transport.send(request)
    meter.add(9_000_000, 0)
    receive(notification, 1)
    meter.add(1_400_000, 0)
    receive(answer, 1)
    meter.add(200, 0)
    receive(notification, 1)
    assert.isEmpty(floods)
    meter.add(8 * 1_024 * 1_024, 0)
    assert.lengthOf(floods, 1, "the answer has come")
  })

  it("is bytes without a message, and is judged as they come", () => {
    const { floods, meter } = metered()
    for (let chunk = 0; chunk < 130; chunk++) meter.add(65_536, 0)
    assert.lengthOf(floods, 1)
  })
})

/** What a stream of events is charged with, and the size of its message after each chunk. */
const charged = (chunks: ReadonlyArray<string>) => {
  let lines = 0
  const count = makeEventMeter({ add: (_, more) => void (lines += more), watch: () => {} })
  const sizes = chunks.map((chunk) => count(new TextEncoder().encode(chunk)))
  return { lines, sizes }
}

describe("A stream of events", () => {
  it("has lines that end in any of three ways", () => {
    assert.strictEqual(charged([":\n:\r:\r\n"]).lines, 3)
    assert.strictEqual(charged(["\n\n", "\r\n", "\r", "\n\r"]).lines, 5)
  })

  it("has an answer of any number of lines, and no more lines beside it than another one", () => {
    const { floods, meter, receive, transport } = metered()
    const count = makeEventMeter(meter)
    const lines = (line: string) => count(new TextEncoder().encode(line.repeat(30_000)))
    void transport.send(request)
    lines("data:   1,\n")
    receive(answer, 1)
    assert.isEmpty(floods)
    lines("id: 1\n")
    assert.lengthOf(floods, 1)
  })

  it("has events that are one message each, however many lines and chunks they have", () => {
    assert.deepStrictEqual(charged(["data: 1\n", "data: 2\n", "\nid", ": 1\n\n"]).sizes, [8, 16, 17, 7])
    assert.deepStrictEqual(charged(["data: 1\r\n\r\ndata: 1234\r\n\r\nid"]).sizes, [12])
  })
})
