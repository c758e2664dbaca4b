import { Effect, type Scope } from "effect"
import type { Browser } from "playwright-core"
import { type Deployment, makeDeployment, makePorts, type ServicePorts } from "../support/Deployment.ts"
import { type Environment, type ServiceProcess, start, type TimedOut } from "../support/Processes.ts"
import { type TaskClient, taskClient } from "../support/TaskClient.ts"
import { browser } from "./Browser.ts"

/** A built service with the offline model, a client of it, and a browser. */
export interface ConsoleWorld {
  readonly origin: string
  readonly client: TaskClient
  readonly browser: Browser
  readonly deployment: Deployment
  readonly ports: ServicePorts
  readonly service: ServiceProcess
}

export const makeWorld = (environment: Environment = {}): Effect.Effect<ConsoleWorld, TimedOut, Scope.Scope> =>
  Effect.gen(function*() {
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const [service, opened] = yield* Effect.all([
      start("all", { ...deployment.environment, ...ports.environment, ...environment }),
      browser
    ], { concurrency: 2 })
    return {
      origin: `http://127.0.0.1:${ports.http}`,
      client: taskClient(ports.http),
      browser: opened,
      deployment,
      ports,
      service
    }
  })
