// A model call of the service and the same bytes over bare HTTP, in a child process.
import { HttpClient, type HttpClientRequest } from "@effect/platform"
import { ToolCallId } from "@troupe/domain/Ids"
import type { Message } from "@troupe/domain/Message"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { Agent, request } from "node:http"
import * as LanguageModel from "../../dist/apps/LanguageModel.js"
import { Model } from "../../dist/Model/Model.js"
import * as ModelHttpClient from "../../dist/Model/ModelHttpClient.js"
import { StoredModels } from "../../dist/Model/StoredModels.js"
import { Settings } from "../../dist/Runtime/Settings/Settings.js"
import { answerQuestions, orderOf } from "./Answering.ts"
import type { CallsOrder } from "./Protocol.ts"
import { instructions, messageOf, toolResult } from "./Work.ts"

const { environment, tools } = orderOf<CallsOrder>()

let sent: HttpClientRequest.HttpClientRequest | null = null

/** Records the bytes that are sent. */
const observed = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpClient.transform(client, (reply, request) => {
      sent ??= request
      return reply
    }))
)

const runtime = ManagedRuntime.make(
  Layer.unwrapEffect(
    Effect.map(
      Settings,
      ({ model }) =>
        LanguageModel.layer({ ...model, totalTimeout: Duration.minutes(4), recordsContent: false }).pipe(
          Layer.provide(StoredModels.layerNone),
          Layer.provide(observed),
          Layer.provide(ModelHttpClient.layer({ timeout: model.requestTimeout }))
        )
    )
  ).pipe(Layer.provide(Settings.layerFrom(environment)))
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

const bytesOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? body.body : new Uint8Array()

/** Sends the recorded bytes of a call, and parses the answer. */
const bareCall = ({ headers, method, url }: HttpClientRequest.HttpClientRequest, bytes: Uint8Array): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const call = request(url, { method, agent, headers }, (response) => {
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
  const example = sent
  if (example === null) throw new Error("Nothing was sent")
  const bytes = bytesOf(example)
  const bare = await millisPerCall(calls, () => bareCall(example, bytes))
  return { bare, ours: await ours(calls), bytes: bytes.length }
})
