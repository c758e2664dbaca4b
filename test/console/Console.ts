import { describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import type { Browser } from "playwright-core"
import { type Deployment, makeDeployment, makePorts, type ServicePorts } from "../support/Deployment.ts"
import { type Environment, type ServiceProcess, start, type TimedOut } from "../support/Processes.ts"
import { type TaskClient, taskClient } from "../support/TaskClient.ts"
import { browser, browserNeed, cleared, consoleNeed, openPage, type WatchedPage } from "./Browser.ts"
import { type Hands, handsOn } from "./Hands.ts"

/** A built service with the offline model, a client of it, and a browser. */
export interface ConsoleWorld {
  readonly origin: string
  readonly client: TaskClient
  readonly browser: Browser
  readonly deployment: Deployment
  readonly ports: ServicePorts
  readonly service: ServiceProcess
}

const makeWorld = (environment: Environment = {}): Effect.Effect<ConsoleWorld, TimedOut, Scope.Scope> =>
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

class World extends Context.Tag("troupe/test/console/Console/World")<
  World,
  ConsoleWorld & {
    /** The page of the test before, cleared, or a new one after a failure. */
    readonly takePage: Effect.Effect<WatchedPage>
    readonly givePage: (page: WatchedPage) => Effect.Effect<void>
  }
>() {
  static readonly layer = (environment: Effect.Effect<Environment, never, Scope.Scope>) =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const world = yield* Effect.orDie(Effect.flatMap(environment, makeWorld))
        const scope = yield* Effect.scope
        let kept: WatchedPage | undefined
        return {
          ...world,
          takePage: Effect.suspend(() => {
            const given = kept
            kept = undefined
            return given === undefined || given.page.isClosed()
              ? Scope.extend(openPage(world.browser, world.origin), scope)
              : Effect.as(cleared(given, world.origin), given)
          }),
          givePage: (page) => Effect.sync(() => void (kept = page))
        }
      })
    )
}

type Given = ConsoleWorld & WatchedPage & Hands

/** A test with a page that no other test uses meanwhile. */
export type Test = (
  name: string,
  body: (given: Given) => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope>>, unknown, never>
) => void

/** Tests that share a service and a page, which is cleared for each. Each leaves to the others what they look at. */
export const inConsole = (
  name: string,
  tests: (test: Test) => void,
  environment: Effect.Effect<Environment, never, Scope.Scope> = Effect.succeed({})
): void => {
  describe.skipIf(browserNeed.isMissing || consoleNeed.isMissing)(
    consoleNeed.named(browserNeed.named(name)),
    () =>
      layer(World.layer(environment), {
        excludeTestServices: true,
        timeout: "2 minutes"
      })((it) =>
        tests((title, body) =>
          it.scoped(title, () =>
            Effect.gen(function*() {
              const world = yield* World
              const opened = yield* world.takePage
              yield* Effect.gen(() => body({ ...world, ...opened, ...handsOn(opened.page, world.origin) }))
              yield* world.givePage(opened)
            }), 120_000)
        )
      )
  )
}
