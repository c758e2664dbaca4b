import { Effect } from "effect"
import type { Bench } from "./Bench.ts"
import { startModelCalls } from "./Child.ts"
import { median, print, round } from "./Line.ts"

/** CPU of a model call, compared with the same bytes over bare HTTP. */
export const modelCalls = ({ model, options: { quick } }: Bench) =>
  Effect.gen(function*() {
    const dialects = {
      chat: { USE_LOCAL_MODEL: "true", LOCAL_MODEL_URL: model.url, LOCAL_MODEL: "fake" },
      responses: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "fake" }
    }
    for (const [variant, environment] of Object.entries(dialects)) {
      for (const tools of [1, 60]) {
        yield* Effect.scoped(Effect.gen(function*() {
          const process = yield* startModelCalls({ environment, tools })
          const calls = quick ? 200 : 1000
          yield* process.ask("calls", { calls: calls * 2 })
          // Alternating, so that both kinds run under the same conditions.
          const found = yield* Effect.replicateEffect(process.ask("calls", { calls }), quick ? 2 : 7)
          print("modelcall", {
            variant,
            tools,
            calls,
            request_bytes: found[0]?.bytes,
            bare_cpu_ms_per_call: round(median(found.map(({ bare }) => bare)), 3),
            node_cpu_ms_per_call: round(median(found.map(({ ours }) => ours)), 3),
            added_cpu_ms_per_call: round(median(found.map(({ bare, ours }) => ours - bare)), 3)
          })
        }))
      }
    }
  })
