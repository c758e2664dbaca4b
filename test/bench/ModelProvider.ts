// The scripted model in a child process. The model's name is the script: `fake-…` calls `get_data`,
// `read-…` calls `read_file`, `wait-…` waits for a day; `-r3` rounds and `-l20` milliseconds as in the tests' server.
// With `-m1`, the arrival of each request is recorded.
import type * as ModelServer from "../support/modelServer.mjs"
import { answerQuestions, orderOf } from "./Answering.ts"
import { sharedClock } from "./Machine.ts"
import type { Arrival } from "./Protocol.ts"
import { dataFile, numberOf } from "./Work.ts"

// The compiled file is in another folder.
const { startModelServer }: typeof ModelServer = await import(
  new URL("../../test/support/modelServer.mjs", import.meta.url).href
)

const day = 86_400

const resultsIn = (body: string): number => body.match(/"role":"tool"|"type":"function_call_output"/g)?.length ?? 0

let arrivals: Array<Arrival> = []

await startModelServer({
  port: orderOf<{ readonly port: number }>().port,
  script: ({ body, kind }) => {
    if (kind !== "chat" && kind !== "responses") return undefined
    const name = /"model":\s*"([^"]*)"/.exec(body)?.[1] ?? ""
    const number = (letter: string, otherwise: number) =>
      Number(new RegExp(`-${letter}(\\d+)`).exec(name)?.[1] ?? otherwise)
    const isKept = name.includes("-m1")
    if (!isKept && name.startsWith("fake")) return undefined
    const results = resultsIn(body)
    if (isKept) arrivals.push({ task: numberOf(body), results, at: sharedClock() })
    if (name.startsWith("fake")) return undefined
    const delay = number("l", 0)
    if (name.startsWith("wait")) return { calls: [{ name: "wait", arguments: { seconds: day } }], delay }
    return results >= number("r", 3)
      ? { text: `The answer after ${results} results.`, delay }
      : { text: "The next figures are needed.", calls: [{ name: "read_file", arguments: { path: dataFile } }], delay }
  }
})

answerQuestions(() => {
  const kept = arrivals
  arrivals = []
  return Promise.resolve(kept)
})
