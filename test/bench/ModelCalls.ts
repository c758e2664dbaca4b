// A model call of ours beside the same bytes over bare HTTP, in a process of its own.
import { ToolCallId } from "@troupe/domain/Ids"
import type { Message } from "@troupe/domain/Message"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Agent, request } from "node:http"
import * as LanguageModels from "../../dist/Model/LanguageModels.js"
import { Model } from "../../dist/Model/Model.js"
import { type Exchange, Transport } from "../../dist/Model/Transport.js"
import { Settings } from "../../dist/Runtime/Settings.js"
import { answerQuestions, orderOf } from "./Answering.ts"
import type { CallsOrder } from "./Protocol.ts"
import { instructions, messageOf, toolResult } from "./Work.ts"

const { environment, tools } = orderOf<CallsOrder>()

let sent: Exchange | null = null

/** Notes what goes over the wire. */
const observed = Layer.effect(
  Transport,
  Effect.map(Transport, (transport) =>
    Transport.of({
      ...transport,
      exchange: (exchange) => {
        sent ??= exchange
        return transport.exchange(exchange)
      }
    }))
).pipe(Layer.provide(Transport.layer))

const runtime = ManagedRuntime.make(
  Layer.unwrapEffect(Effect.map(Settings, ({ model }) => LanguageModels.layer(model))).pipe(
    Layer.provide([observed, Settings.layerFrom(environment)])
  )
)
const model = await runtime.runPromise(Model)

/** The conversation of a task in the middle of its work. */
const messages: ReadonlyArray<Message> = [
  { role: "user", content: messageOf(1) },
  ...["first", "second"].flatMap((id): ReadonlyArray<Message> => [
    {
      role: "assistant",
      content: "The next figures are needed.",
      tool_calls: [{ id: ToolCallId.make(id), name: "tool_0", arguments: JSON.stringify({ query: id }) }]
    },
    { role: "tool", tool_call_id: ToolCallId.make(id), name: "tool_0", content: toolResult(id) }
  ])
]

const toolSet = {
  tools: Array.from({ length: tools }, (_, index) => ({
    name: `tool_${index}`,
    description: `Get part ${index} of the data; the result comes as rows of figures, the newest of them first.`,
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "What to get" }, limit: { type: "number" } },
      required: ["query"]
    }
  }))
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends the ready bytes of a call, and parses what comes back. */
const bareCall = ({ body, headers, method, url }: Exchange): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const bytes = body ?? ""
    const length = { "content-length": Buffer.byteLength(bytes) }
    const call = request(url, { method, agent, headers: { ...headers, ...length } }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.on("end", () => resolve(JSON.parse(text)))
    })
    call.on("error", reject)
    call.end(bytes)
  })

const concurrency = 16

const millisPerCall = async (calls: number, call: () => Promise<unknown>): Promise<number> => {
  let left = calls
  const client = async () => {
    while (left-- > 0) await call()
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: concurrency }, client))
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1e3 / calls
}

const ours = (calls: number) => {
  let left = calls
  const client = Effect.gen(function*() {
    while (left-- > 0) yield* model.generate({ system: instructions, messages, tools: toolSet })
  })
  const before = process.cpuUsage()
  return runtime.runPromise(
    Effect.all(Array.from({ length: concurrency }, () => client), { concurrency: "unbounded", discard: true })
  ).then(() => {
    const { system, user } = process.cpuUsage(before)
    return (user + system) / 1e3 / calls
  })
}

answerQuestions(async (question) => {
  if (question.topic !== "calls") throw new Error(`Model calls know nothing of ${question.topic}`)
  const { calls } = question
  await ours(1)
  const exchange = sent
  if (exchange === null) throw new Error("Nothing was sent")
  const bare = await millisPerCall(calls, () => bareCall(exchange))
  return { bare, ours: await ours(calls), bytes: Buffer.byteLength(exchange.body ?? "") }
})
