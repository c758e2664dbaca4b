import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { troupeHere } from "../support/CommandLine.ts"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { start } from "../support/Processes.ts"

const runs = 11
const answer = "The first call of each task streams its text, because its caller said that it watches."

const lineIn = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ event: Schema.String, data: Schema.Unknown })))
const Delta = Schema.Struct({ delta: Schema.String })

const textIn = (stdout: string): string =>
  stdout.trimEnd().split("\n").map((line) => lineIn(line)).map(({ data, event }) =>
    event === "text" ? Schema.decodeUnknownSync(Delta)(data).delta : ""
  ).join("")

processTest("The command shows the whole text of a task's only call as it is written, each time", function*() {
  const deployment = yield* makeDeployment()
  const ports = yield* makePorts
  const model = yield* makeModelServer({ script: () => ({ text: answer, chunk: 8, packet: 200, pace: 20 }) })
  yield* start("all", {
    ...deployment.environment,
    ...ports.environment,
    OPENAI_BASE_URL: model.url,
    OPENAI_MODEL: "streaming"
  })
  const troupe = troupeHere(ports.http)
  for (let run = 0; run < runs; run++) {
    const { code, stderr, stdout } = yield* troupe(["submit", "--watch", "--json", "Say it"])
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(textIn(stdout), answer)
  }
  const streamed = () => Effect.map(model.requests, (all) => all.map(({ body }) => /"stream":\s*true/.test(body)))
  assert.deepStrictEqual(yield* streamed(), Array.from({ length: runs }, () => true))

  // Nobody watches: one whole answer.
  assert.strictEqual((yield* troupe(["submit", "Say it"])).code, 0)
  yield* Effect.replicateEffect(model.arrivals.take, runs + 1)
  assert.strictEqual((yield* streamed()).at(-1), false)
})
