import { Effect } from "effect"
import { Agent, request } from "node:http"

/** Clients of `POST /chat` over persistent connections, with as little CPU as possible: they share the machine. */
export const makeHttpClients = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 512 })),
    (agent) => Effect.sync(() => agent.destroy())
  ).pipe(Effect.map((agent) => ({
    metrics: (): Promise<string> =>
      new Promise((resolve, reject) => {
        const sent = request({ host: "127.0.0.1", port, path: "/metrics", agent }, (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
          response.on("end", () => resolve(text))
        })
        sent.on("error", reject)
        sent.end()
      }),
    /** Returns the id of the accepted task. */
    submit: (message: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify({ message })
        const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
        const sent = request({ host: "127.0.0.1", port, path: "/chat", method: "POST", agent, headers }, (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
          response.on("end", () => {
            const id = /"task_id":\s*"([0-9a-f-]{36})"/.exec(text)?.[1]
            if (response.statusCode === 202 && id !== undefined) resolve(id)
            else reject(new Error(`POST /chat: ${response.statusCode} ${text.slice(0, 200)}`))
          })
        })
        sent.on("error", reject)
        sent.end(body)
      })
  })))
