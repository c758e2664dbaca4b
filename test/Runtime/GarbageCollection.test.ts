import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { performance } from "node:perf_hooks"
import { setImmediate } from "node:timers/promises"
import * as GarbageCollection from "../../src/Runtime/Process/GarbageCollection.ts"
import { until } from "../support/Processes.ts"

const busyFor = (millis: number) =>
  Effect.promise(async () => {
    const end = performance.now() + millis
    while (performance.now() < end) await setImmediate()
  })

it.scopedLive("collects garbage when the process is idle, and not before", () =>
  Effect.gen(function*() {
    const garbage = new WeakRef({})
    yield* Effect.forkScoped(Effect.provide(Effect.never, GarbageCollection.layer({ interval: "50 millis" })))
    yield* busyFor(250)
    assert.isDefined(garbage.deref())
    yield* until("a collection", Effect.sync(() => garbage.deref() === undefined))
  }))
