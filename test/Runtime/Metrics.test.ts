import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Metric, Scope } from "effect"
import { counter, gauge, histogram, open, total } from "../../src/Runtime/Telemetry/Metrics.ts"
import * as ProcessMetrics from "../../src/Runtime/Telemetry/ProcessMetrics.ts"
import { scraped, valueOf } from "../support/PrometheusText.ts"

describe("Instruments", () => {
  it.effect("have a description and type, and are zero before the first event", () =>
    Effect.gen(function*() {
      counter("troupe_test_plain", "Counts \\ and says \"so\"\nin two lines.")
      counter("troupe_test_known", "Knows its values.", { what: ["one", "other"], where: ["here", "there"] })(2, {
        what: "one",
        where: "there"
      })
      const families = yield* scraped
      const plain = families.get("troupe_test_plain_total")
      assert.deepInclude(plain, { type: "counter", help: "Counts \\ and says \"so\"\nin two lines." })
      assert.strictEqual(valueOf(families, "troupe_test_plain_total"), 0)
      assert.strictEqual(families.get("troupe_test_known_total")?.samples.length, 4)
      assert.strictEqual(valueOf(families, "troupe_test_known_total", { what: "one", where: "there" }), 2)
    }))

  it.effect("escape the values of labels", () =>
    Effect.gen(function*() {
      const odd = "a \"b\" \\ \n{c=\"d\"},"
      counter("troupe_test_odd", "Odd.", { value: open })(1, { value: odd })
      const families = yield* scraped
      assert.deepStrictEqual(families.get("troupe_test_odd_total")?.samples[0]?.labels, { value: odd })
    }))

  it.effect("of a histogram count into every bucket that is large enough", () =>
    Effect.gen(function*() {
      const seconds = histogram("troupe_test_seconds", "Long.", [0.1, 1], { of: open })
      for (const value of [0.05, 0.1, 0.5, 7]) seconds(value, { of: "x" })
      const families = yield* scraped
      const bucket = (le: string) => valueOf(families, "troupe_test_seconds_bucket", { of: "x", le })
      assert.deepStrictEqual(["0.1", "1", "+Inf"].map(bucket), [2, 3, 4])
      assert.strictEqual(valueOf(families, "troupe_test_seconds_count", { of: "x" }), 4)
      assert.closeTo(valueOf(families, "troupe_test_seconds_sum", { of: "x" }), 7.65, 1e-9)
    }))

  it.scoped("that are read at a scrape sum their sources, without those whose scope has ended", () =>
    Effect.gen(function*() {
      const seats = gauge("troupe_test_seats", "Seats.")
      let reads = 0
      yield* seats(() => (reads += 1, 5))
      const leaving = yield* Scope.make()
      yield* Scope.extend(seats(() => 2), leaving)
      assert.strictEqual(reads, 0)
      assert.strictEqual(valueOf(yield* scraped, "troupe_test_seats"), 7)
      yield* Scope.close(leaving, Exit.void)
      assert.strictEqual(valueOf(yield* scraped, "troupe_test_seats"), 5)
    }))

  it.scoped("of a count that is kept elsewhere show that count, and never decrease", () =>
    Effect.gen(function*() {
      const kept = total("troupe_test_kept", "Kept.")
      let count = 3
      const leaving = yield* Scope.make()
      yield* Scope.extend(kept(() => count), leaving)
      const shown = Effect.map(scraped, (families) => valueOf(families, "troupe_test_kept_total"))
      assert.strictEqual(yield* shown, 3)
      count = 10
      assert.strictEqual(yield* shown, 10)
      yield* Scope.close(leaving, Exit.void)
      assert.strictEqual(yield* shown, 10)
    }))

  it.effect("of libraries are left out", () =>
    Effect.gen(function*() {
      yield* Metric.increment(Metric.counter("effect_test_alien"))
      assert.deepStrictEqual([...(yield* scraped).keys()].filter((name) => !name.startsWith("troupe_")), [])
    }))

  it.effect("accept a bounded number of label values", () =>
    Effect.gen(function*() {
      const flood = counter("troupe_test_flood", "Too many.", { id: open })
      for (let id = 0; id < 5000; id++) flood(1, { id: String(id) })
      const families = yield* scraped
      assert.strictEqual(families.get("troupe_test_flood_total")?.samples.length, 1001)
      assert.strictEqual(valueOf(families, "troupe_test_flood_total", { id: "other" }), 4000)
    }))
})

it.scoped("The process reports its CPU time, memory and event loop", () =>
  Effect.gen(function*() {
    yield* Effect.provide(scraped, ProcessMetrics.layer)
    const families = yield* Effect.provide(scraped, ProcessMetrics.layer)
    const rest = process.memoryUsage.rss()
    assert.closeTo(valueOf(families, "troupe_process_resident_memory_bytes"), rest, rest / 2)
    assert.isAbove(valueOf(families, "troupe_process_cpu_seconds_total"), 0)
    assert.isAbove(valueOf(families, "troupe_process_heap_used_bytes"), 1e6)
    assert.isAbove(valueOf(families, "troupe_process_event_loop_busy_seconds_total"), 0)
    assert.isAbove(valueOf(families, "troupe_process_start_time_seconds"), 1.7e9)
    const delays = families.get("troupe_process_event_loop_delay_seconds")?.samples ?? []
    assert.deepStrictEqual(delays.map(({ labels }) => labels["of"]), ["mean", "p99", "max"])
    for (const { value } of delays) assert.isAtLeast(value, 0)
  }))
