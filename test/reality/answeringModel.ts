import * as Tool from "@effect/ai/Tool"
import type { TaskId } from "@troupe/domain/Ids"
import type { Task } from "@troupe/domain/Task"
import { Effect, Schema } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { implement } from "../../src/Tool/ToolHandler.ts"
import { modelLayer } from "../Model/remote.ts"
import { eventually } from "../support/Eventually.ts"
import { request } from "../support/GivenTasks.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { startWorker } from "../support/Workers.ts"

/** A provider's whole answer. */
export const answer = (message: object, more: object = {}): ModelTurn => ({
  status: 200,
  body: {
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...message } }],
    usage: { prompt_tokens: 50, completion_tokens: 10, total_tokens: 60 },
    ...more
  }
})

export const calling = {
  tool_calls: [{ id: "call_a", type: "function", function: { name: "list_directory", arguments: "{}" } }]
}

const fileParameters = {
  path: Schema.String.annotations({ description: "Path" }),
  content: Schema.String.annotations({ description: "Text" })
}

interface AgentOptions {
  readonly script?: (body: string) => ModelTurn | undefined
  readonly inWorldCluster?: boolean
  /** What `list_directory` waits for. */
  readonly gate?: Effect.Effect<void>
}

/** A worker whose agent has two tools and a model behind HTTP. `ran` has the calls of the tools. */
export const startAgent = ({ gate = Effect.void, inWorldCluster = false, script }: AgentOptions = {}) =>
  Effect.gen(function*() {
    const server = yield* makeModelServer(script === undefined ? {} : { script: ({ body }) => script(body) })
    const ran: Array<unknown> = []
    const tools = [
      implement(Tool.make("list_directory", { description: "Lists" }), {
        changes: "nothing",
        timeout: "1 minute",
        run: () => Effect.map(gate, () => `${ran.push("list_directory")} file`)
      }),
      implement(Tool.make("write_file", { description: "Writes", parameters: fileParameters }), {
        changes: "own",
        effect: "outside",
        timeout: "1 minute",
        run: (file) => Effect.sync(() => `${ran.push(file)} file`)
      })
    ]
    const layer = modelLayer(server.settings("local", { maxRetries: 0 }))
    const start = startWorker({ scripted: { layer }, tools, inWorldCluster })
    return { server, ran, start }
  })

const isOver = ({ status }: Task) => status === "completed" || status === "failed"

export const ended = (id: TaskId) => Effect.flatMap(Tasks, (tasks) => eventually(tasks.find(id), isOver))

/** With `live`, as if it were watched: the model streams. */
export const submitted = (live = false) =>
  Effect.flatMap(Tasks, (tasks) => tasks.submit(request("What day is it?", { live })))

export const resultOf = ({ outputs }: Task) => outputs.map(({ content }) => content).join()
