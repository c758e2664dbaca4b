import { assert, describe } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { Agent, request } from "node:http"
import { makeBalancingProxy } from "../support/BalancingProxy.ts"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { start, terminated, until } from "../support/Processes.ts"

/** A client that keeps its connection and asks again and again; `failures` has what went wrong. */
const makeClient = (port: number) =>
  Effect.gen(function*() {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
    const failures: Array<string> = []
    let answers = 0
    const ask = Effect.async<void>((resume) => {
      const end = (failure: string | null) => {
        if (failure !== null) failures.push(failure)
        resume(Effect.void)
      }
      request({ port, host: "127.0.0.1", path: "/tasks?limit=1", agent }, (response) => {
        response.resume().once("end", () => {
          answers += 1
          end(response.statusCode === 200 ? null : `${response.statusCode}`)
        })
      }).once("error", ({ message }) => end(message)).end()
    })
    yield* Effect.forkScoped(Effect.repeat(ask, Schedule.spaced("150 millis")))
    return { failures, answers: () => answers }
  })

describe("A rolling restart", () => {
  processTest("of two APIs behind a proxy fails no request and resets no kept connection", function*() {
    const deployment = yield* makeDeployment()
    const environment = { ...deployment.environment, DRAIN_SECONDS: 1.5 }
    const ports = yield* Effect.all([makePorts, makePorts])
    const startApi = (index: 0 | 1) => start("api", { ...environment, ...ports[index].environment })
    const [first, second] = yield* Effect.all([startApi(0), startApi(1)], { concurrency: 2 })
    const proxy = yield* makeBalancingProxy(ports.map(({ http }) => http))
    const clients = yield* Effect.replicateEffect(makeClient(proxy), 8)
    const answers = () => clients.reduce((sum, client) => sum + client.answers(), 0)
    yield* until("all clients are answered", Effect.sync(() => clients.every((client) => client.answers() > 2)))

    const ended = yield* terminated(first)
    assert.strictEqual(ended.code, 0)
    assert.isAtLeast(ended.millis, 1_500)
    yield* startApi(0)
    yield* terminated(second)
    yield* startApi(1)
    const before = answers()
    yield* until("clients are still answered", Effect.sync(() => answers() > before + 32))
    assert.deepStrictEqual(clients.flatMap(({ failures }) => failures), [])
  })
})
