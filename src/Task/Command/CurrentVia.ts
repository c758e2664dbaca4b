import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { Via } from "@troupe/domain/DoneBy"
import { Context, Effect } from "effect"

/** By which way the request came that is carried out, for the steps of tasks; null: no request, or not known. */
export class CurrentVia extends Context.Reference<CurrentVia>()("troupe/Task/Command/CurrentVia", {
  defaultValue: (): Via | null => null
}) {}

export const via = (way: Via) => Effect.provideService(CurrentVia, way)

/** The console and the command line name themselves in this header. It gives no right. */
const clientHeader = "troupe-client"

const clients: Readonly<Record<string, Via>> = { console: "console", "command-line": "command_line" }

/** As `via`, for a request to the HTTP API. */
export const viaClient = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  via(clients[headers[clientHeader] ?? ""] ?? "api")
