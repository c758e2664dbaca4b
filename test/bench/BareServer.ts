// A server that reads the body of each request and answers 200, in a child process: the least that a webhook can cost.
import { createServer } from "node:http"
import { answerQuestions, orderOf } from "./Answering.ts"

const answer = JSON.stringify({
  status: "received",
  message_id: "00000000-0000-7000-8000-000000000000",
  webhook_type: "orders"
})

createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.length }).end(answer)
  })
}).listen({ port: orderOf<{ readonly port: number }>().port, host: "127.0.0.1" }, () => {
  answerQuestions(() => Promise.resolve({}))
})
