import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { ChatHandlerApi } from "@troupe/api/ChatHandlerApi"
import { Effect } from "effect"
import { databaseHealth } from "./HealthChecks.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import { makeLiveness } from "./Liveness.ts"
import { makeScrape } from "./Scrape.ts"

/** `GET /health` and `GET /metrics` of the chat handler. */
export const ChatHandlerProbes = (options: HttpOptions) =>
  HttpApiBuilder.group(ChatHandlerApi, "probes", (handlers) =>
    Effect.gen(function*() {
      const liveness = yield* makeLiveness(yield* databaseHealth)
      const scrape = makeScrape(options)
      return handlers
        .handle("health", () => liveness)
        .handle("metrics", ({ request }) => scrape(request.headers["authorization"]))
    }))
